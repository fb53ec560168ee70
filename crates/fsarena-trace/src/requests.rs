//! The requests to a device, from their issue to their completion.

use std::collections::{BTreeMap, HashMap};

use fsarena_model::{RequestKind, Requests};

use crate::Span;

/// What happened to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestChange {
    /// The moment.
    pub time: u64,
    /// Its first sector.
    pub sector: u64,
    /// Its type.
    pub kind: RequestKind,
    /// The bytes that it carries, at its issue; `None` at its completion.
    pub issued: Option<u64>,
}

/// The requests of a trace.
#[derive(Debug, Default)]
pub struct DeviceLog {
    /// Completed requests by type.
    pub totals: Vec<Requests>,
    /// When at least one request was at the device, in the order of time.
    busy: Vec<Span>,
    /// When it flushed its cache.
    flushing: Vec<Span>,
}

impl DeviceLog {
    /// Follows requests through `changes`, which are in the order of time, until `end`. One whose completion was not seen
    /// ended at the latest when another was issued to its place; otherwise it is taken to have lasted as long as the
    /// longest of its type, and to the end if none is known.
    pub fn follow(changes: &[RequestChange], end: u64) -> Self {
        let mut open: HashMap<(u64, RequestKind), u64> = HashMap::new();
        let mut totals: BTreeMap<RequestKind, Requests> = BTreeMap::new();
        let mut longest: HashMap<RequestKind, u64> = HashMap::new();
        let mut spans: Vec<(Span, RequestKind)> = Vec::new();
        for &RequestChange { time, sector, kind, issued } in changes {
            // A flush has the sector 0 at its issue, and the highest one at its completion.
            let sector = if kind == RequestKind::Flush { 0 } else { sector };
            let Some(bytes) = issued else {
                // A request that was issued before the trace is not counted.
                let Some(start) = open.remove(&(sector, kind)) else { continue };
                totals.entry(kind).and_modify(|total| total.seconds += (time - start) as f64 / 1e9);
                longest.entry(kind).and_modify(|most| *most = (time - start).max(*most)).or_insert(time - start);
                spans.push((Span { start, end: time }, kind));
                continue;
            };
            let total = totals.entry(kind).or_insert(Requests { kind, count: 0, bytes: 0, open: 0, seconds: 0.0 });
            total.count += 1;
            total.bytes += bytes;
            if let Some(start) = open.insert((sector, kind), time) {
                total.open += 1;
                spans.push((Span { start, end: time }, kind));
            }
        }
        for ((_, kind), start) in open {
            totals.entry(kind).and_modify(|total| total.open += 1);
            let until = longest.get(&kind).map_or(end, |most| (start + most).min(end));
            spans.push((Span { start, end: until.max(start) }, kind));
        }
        spans.sort_by_key(|(span, _)| span.start);
        let flushes = spans.iter().filter(|(_, kind)| *kind == RequestKind::Flush);
        let (busy, flushing) = (union(spans.iter()), union(flushes));
        Self { totals: totals.into_values().collect(), busy, flushing }
    }

    /// The parts of `span` in which the device had requests.
    pub fn busy_within(&self, span: Span) -> impl Iterator<Item = Span> {
        within(&self.busy, span)
    }

    /// The parts of `span` in which it flushed its cache.
    pub fn flushing_within(&self, span: Span) -> impl Iterator<Item = Span> {
        within(&self.flushing, span)
    }
}

fn within(spans: &[Span], span: Span) -> impl Iterator<Item = Span> {
    let first = spans.partition_point(|it| it.end <= span.start);
    spans[first..].iter().take_while(move |it| it.start < span.end).map(move |it| it.within(span))
}

/// When at least one of the requests is at the device. They are in the order of their starts.
fn union<'a>(requests: impl Iterator<Item = &'a (Span, RequestKind)>) -> Vec<Span> {
    let mut all: Vec<Span> = Vec::new();
    for (span, _) in requests {
        match all.last_mut().filter(|last| span.start <= last.end) {
            Some(last) => last.end = last.end.max(span.end),
            None => all.push(*span),
        }
    }
    all
}

/// The type of a request with these letters (`blk_fill_rwbs` of `kernel/trace/blktrace.c`): F for a flush before it, its
/// operation, F for FUA, A for read-ahead, S for synchronous, M for metadata.
pub fn request_kind(letters: &str) -> RequestKind {
    let operation = match letters.as_bytes() {
        [b'F', operation @ (b'W' | b'R' | b'D'), ..] | [operation, ..] => *operation,
        [] => b'N',
    };
    match (operation, letters.contains('M')) {
        (b'R', false) => RequestKind::Read,
        (b'R', true) => RequestKind::ReadMetadata,
        (b'W', false) => RequestKind::Write,
        (b'W', true) => RequestKind::WriteMetadata,
        (b'F', _) => RequestKind::Flush,
        _ => RequestKind::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_that_overlap_make_one_busy_span() {
        let change = |time, sector, issued| RequestChange { time, sector, kind: RequestKind::Write, issued };
        let changes = [
            change(5, 1, None),
            change(10, 8, Some(4096)),
            change(20, 16, Some(512)),
            change(30, 8, None),
            change(40, 16, None),
            change(60, 8, Some(4096)),
        ];
        let log = DeviceLog::follow(&changes, 100);
        assert_eq!(log.busy, [Span { start: 10, end: 40 }, Span { start: 60, end: 80 }]);
        let [writes] = &log.totals[..] else { panic!("{log:?}") };
        assert_eq!((writes.count, writes.bytes, writes.open), (3, 8704, 1));
        assert!((writes.seconds - 40e-9).abs() < 1e-15);
        let within: Vec<Span> = log.busy_within(Span { start: 35, end: 70 }).collect();
        assert_eq!(within, [Span { start: 35, end: 40 }, Span { start: 60, end: 70 }]);
    }

    #[test]
    fn completions_may_be_missing() {
        let change = |time, sector, issued| RequestChange { time, sector, kind: RequestKind::Read, issued };
        // The place is read again at 50: what was read first has ended by then.
        let changes = [change(10, 8, Some(512)), change(50, 8, Some(512))];
        let log = DeviceLog::follow(&changes, 90);
        assert_eq!(log.busy, [Span { start: 10, end: 90 }]);
        assert_eq!((log.totals[0].count, log.totals[0].open, log.totals[0].seconds), (2, 2, 0.0));
    }

    #[test]
    fn flushes_end_though_they_have_no_place() {
        let change = |time, sector, issued| RequestChange { time, sector, kind: RequestKind::Flush, issued };
        let log = DeviceLog::follow(&[change(10, 0, Some(0)), change(30, u64::MAX, None)], 90);
        assert_eq!((log.totals[0].open, &log.flushing[..]), (0, &[Span { start: 10, end: 30 }][..]));
    }

    #[test]
    fn letters_tell_the_type() {
        let kinds = ["R", "RAM", "WS", "FWFSM", "FF", "DS", "F"].map(request_kind);
        use RequestKind::{Flush, Other, Read, ReadMetadata, Write, WriteMetadata};
        assert_eq!(kinds, [Read, ReadMetadata, Write, WriteMetadata, Flush, Other, Flush]);
    }
}
