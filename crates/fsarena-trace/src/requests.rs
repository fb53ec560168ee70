//! The requests to a device, from their issue to their completion.

use std::collections::{BTreeMap, HashMap, VecDeque};

use fsarena_model::{RequestKind, Requests};

use crate::Span;

/// What happened to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestChange {
    pub time: u64,
    /// Its first sector.
    pub sector: u64,
    pub kind: RequestKind,
    /// The bytes that it carries, at its issue; `None` at its completion.
    pub issued: Option<u64>,
}

/// The requests of a trace.
#[derive(Debug, Default)]
pub struct DeviceLog {
    /// Whether its requests were recorded.
    is_recorded: bool,
    /// Requests that the work issued, by type.
    pub totals: Vec<Requests>,
    /// When at least one request was at the device, in the order of time.
    busy: Vec<Span>,
    /// When it flushed its cache.
    flushing: Vec<Span>,
}

impl DeviceLog {
    /// Follows requests through `changes`, which are in the order of time, until `end`; those that are issued within
    /// `spans` count. One whose completion was not seen is taken to have lasted as long as the longest of its type or,
    /// if most were not seen, until another was issued to its place, or to the end. Each of the device's `queues`
    /// flushes its cache once at a time; `None` if requests were not recorded.
    pub fn follow(changes: &[RequestChange], end: u64, spans: &[Span], queues: Option<usize>) -> Self {
        let mut open: HashMap<(u64, RequestKind), u64> = HashMap::new();
        let mut flushes: VecDeque<u64> = VecDeque::new();
        let mut totals: BTreeMap<RequestKind, Requests> = BTreeMap::new();
        let mut longest: HashMap<RequestKind, u64> = HashMap::new();
        let mut requests: Vec<(Span, RequestKind)> = Vec::new();
        let mut unseen: Vec<(Span, RequestKind)> = Vec::new();
        let counts = |start: u64| {
            let after = spans.partition_point(|span| span.end <= start);
            spans.get(after).is_some_and(|span| span.start <= start)
        };
        for &RequestChange { time, sector, kind, issued } in changes {
            let before = match (kind, issued) {
                // Flushes have no place. The first that was issued is taken to end first.
                (RequestKind::Flush, None) => flushes.pop_front(),
                (RequestKind::Flush, Some(_)) => {
                    flushes.push_back(time);
                    if flushes.len() > queues.unwrap_or(1) { flushes.pop_front() } else { None }
                }
                (_, Some(_)) => open.insert((sector, kind), time),
                (_, None) => open.remove(&(sector, kind)),
            };
            if let Some(bytes) = issued.filter(|_| counts(time)) {
                let total = totals.entry(kind).or_insert(Requests::none(kind));
                total.count += 1;
                total.bytes += bytes;
            }
            // A request that was issued before the trace is not counted.
            let Some(start) = before else { continue };
            let request = (Span { start, end: time }, kind);
            if issued.is_some() {
                unseen.push(request);
                continue;
            }
            requests.push(request);
            longest.entry(kind).and_modify(|most| *most = (time - start).max(*most)).or_insert(time - start);
            if counts(start) {
                totals.entry(kind).and_modify(|total| total.seconds += (time - start) as f64 / 1e9);
            }
        }
        let open = open.into_iter().map(|((_, kind), start)| (start, kind));
        let open = open.chain(flushes.into_iter().map(|start| (start, RequestKind::Flush)));
        unseen.extend(open.map(|(start, kind)| (Span { start, end: end.max(start) }, kind)));
        for (_, kind) in unseen.iter().filter(|(span, _)| counts(span.start)) {
            totals.entry(*kind).and_modify(|total| total.open += 1);
        }
        for (span, kind) in unseen {
            let is_seen = totals.get(&kind).is_some_and(|total| total.mean_seconds().is_some());
            let most = longest.get(&kind).filter(|_| is_seen).map_or(u64::MAX, |most| span.start + most);
            requests.push((Span { end: span.end.min(most), ..span }, kind));
        }
        requests.sort_by_key(|(span, _)| span.start);
        let flushes = requests.iter().filter(|(_, kind)| *kind == RequestKind::Flush);
        let (busy, flushing) = (union(requests.iter().map(|it| it.0)), union(flushes.map(|it| it.0)));
        Self { is_recorded: queues.is_some(), totals: totals.into_values().collect(), busy, flushing }
    }

    /// Whether it is known when requests ended, so that the device has none otherwise.
    pub fn knows_ends(&self) -> bool {
        let sum = self.totals.iter().fold(Requests::none(RequestKind::Other), |sum, total| sum.plus(total));
        self.is_recorded && (sum.count == 0 || sum.mean_seconds().is_some())
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

/// The parts of `spans`, which are in order and do not overlap, that are within `span`.
pub fn within(spans: &[Span], span: Span) -> impl Iterator<Item = Span> {
    let first = spans.partition_point(|it| it.end <= span.start);
    spans[first..].iter().take_while(move |it| it.start < span.end).map(move |it| it.within(span))
}

/// Where at least one of the spans is. They are in the order of their starts.
pub fn union(spans: impl Iterator<Item = Span>) -> Vec<Span> {
    let mut all: Vec<Span> = Vec::new();
    for span in spans {
        match all.last_mut().filter(|last| span.start <= last.end) {
            Some(last) => last.end = last.end.max(span.end),
            None => all.push(span),
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

    const ALL: [Span; 1] = [Span { start: 0, end: u64::MAX }];

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
        let log = DeviceLog::follow(&changes, 100, &ALL, Some(1));
        assert_eq!(log.busy, [Span { start: 10, end: 40 }, Span { start: 60, end: 100 }]);
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
        let log = DeviceLog::follow(&changes, 90, &ALL, Some(1));
        assert_eq!(log.busy, [Span { start: 10, end: 90 }]);
        assert_eq!((log.totals[0].count, log.totals[0].open, log.totals[0].mean_seconds()), (2, 2, None));
        // Of ten it is one: it ended like the others.
        let ten = (0..10).flat_map(|place| {
            let begun = place * 100;
            [change(begun, place, Some(512)), change(begun + 30, place, None)]
        });
        let log = DeviceLog::follow(&ten.take(19).collect::<Vec<_>>(), 2_000, &ALL, Some(1));
        assert_eq!(log.busy.last(), Some(&Span { start: 900, end: 930 }));
        assert!((log.totals[0].mean_seconds().expect("nine of ten") - 30e-9).abs() < 1e-15);
    }

    #[test]
    fn requests_outside_of_the_work_do_not_count_but_occupy_the_device() {
        let change = |time, issued| RequestChange { time, sector: 8, kind: RequestKind::Read, issued };
        let changes = [change(10, Some(512)), change(20, None), change(50, Some(512)), change(60, None)];
        let log = DeviceLog::follow(&changes, 100, &[Span { start: 40, end: 55 }], Some(1));
        assert_eq!((log.totals[0].count, log.busy.len()), (1, 2));
        assert!((log.totals[0].seconds - 10e-9).abs() < 1e-15);
    }

    #[test]
    fn flushes_end_though_they_have_no_place() {
        let change = |time, sector, issued| RequestChange { time, sector, kind: RequestKind::Flush, issued };
        let flush = [change(10, 0, Some(0)), change(30, u64::MAX, None)];
        let log = DeviceLog::follow(&flush, 90, &ALL, Some(1));
        assert_eq!((log.totals[0].open, &log.flushing[..]), (0, &[Span { start: 10, end: 30 }][..]));
        let two = [change(0, 0, Some(0)), change(10, 0, Some(0)), change(20, 9, None), change(30, 9, None)];
        let of = |queues: usize| {
            let log = DeviceLog::follow(&two, 90, &ALL, Some(queues));
            (log.totals[0].count, log.totals[0].open, log.flushing)
        };
        assert_eq!(of(2), (2, 0, vec![Span { start: 0, end: 30 }]), "each queue has one");
        assert_eq!(of(1).1, 1, "the first one's end was not seen");
    }

    #[test]
    fn letters_tell_the_type() {
        let kinds = ["R", "RAM", "WS", "FWFSM", "FF", "DS", "F"].map(request_kind);
        use RequestKind::{Flush, Other, Read, ReadMetadata, Write, WriteMetadata};
        assert_eq!(kinds, [Read, ReadMetadata, Write, WriteMetadata, Flush, Other, Flush]);
    }
}
