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
    /// Follows requests through `changes`, which are in the order of time, until `end`.
    pub fn follow(changes: &[RequestChange], end: u64) -> Self {
        let mut open: HashMap<(u64, RequestKind), Vec<(u64, u64)>> = HashMap::new();
        let mut totals: BTreeMap<RequestKind, Requests> = BTreeMap::new();
        let (mut busy, mut flushing) = (OpenSpans::default(), OpenSpans::default());
        for change in changes {
            let waiting = open.entry((change.sector, change.kind)).or_default();
            match change.issued {
                Some(bytes) => {
                    waiting.push((change.time, bytes));
                    busy.open(change.time);
                    if change.kind == RequestKind::Flush {
                        flushing.open(change.time);
                    }
                }
                None => {
                    // A request that was issued before the trace is not counted.
                    let Some((issued, bytes)) = waiting.pop() else { continue };
                    let kind = change.kind;
                    let total = totals.entry(kind).or_insert(Requests { kind, count: 0, bytes: 0, seconds: 0.0 });
                    total.count += 1;
                    total.bytes += bytes;
                    total.seconds += (change.time - issued) as f64 / 1e9;
                    busy.close(change.time);
                    if kind == RequestKind::Flush {
                        flushing.close(change.time);
                    }
                }
            }
        }
        let totals = totals.into_values().collect();
        Self { totals, busy: busy.until(end), flushing: flushing.until(end) }
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

/// Spans in which at least one request is open.
#[derive(Default)]
struct OpenSpans {
    spans: Vec<Span>,
    count: u64,
    since: u64,
}

impl OpenSpans {
    fn open(&mut self, time: u64) {
        if self.count == 0 {
            self.since = time;
        }
        self.count += 1;
    }

    fn close(&mut self, time: u64) {
        self.count -= 1;
        if self.count == 0 {
            self.spans.push(Span { start: self.since, end: time });
        }
    }

    fn until(mut self, end: u64) -> Vec<Span> {
        self.spans.extend((self.count > 0).then_some(Span { start: self.since, end: end.max(self.since) }));
        self.spans
    }
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
        assert_eq!(log.busy, [Span { start: 10, end: 40 }, Span { start: 60, end: 100 }]);
        let [writes] = &log.totals[..] else { panic!("{log:?}") };
        assert_eq!((writes.count, writes.bytes), (2, 4608));
        assert!((writes.seconds - 40e-9).abs() < 1e-15);
        let within: Vec<Span> = log.busy_within(Span { start: 35, end: 70 }).collect();
        assert_eq!(within, [Span { start: 35, end: 40 }, Span { start: 60, end: 70 }]);
    }

    #[test]
    fn letters_tell_the_type() {
        let kinds = ["R", "RAM", "WS", "FWFSM", "FF", "DS", "F"].map(request_kind);
        use RequestKind::{Flush, Other, Read, ReadMetadata, Write, WriteMetadata};
        assert_eq!(kinds, [Read, ReadMetadata, Write, WriteMetadata, Flush, Other, Flush]);
    }
}
