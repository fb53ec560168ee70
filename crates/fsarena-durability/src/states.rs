//! The contents that a disk can have after a power cut.

use fsarena_model::Bytes;
use fsarena_model::seed::generator;
use rand::{Rng, RngExt};

use crate::log::{Request, RequestKind, SECTOR};

/// How a disk treats a flush.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Disk {
    /// It makes everything in its cache durable.
    Honest,
    /// It confirms the flush and does nothing.
    Lying,
}

/// Which of the requests survive that were completed since the last flush.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Survivors {
    /// None.
    None,
    /// All.
    All,
    /// A random part: a disk may write its cache in any order.
    Some,
    /// All before the last one, and a random part of the sectors of that.
    Torn,
    /// All but those to one half of the disk since some earlier moment. The halves may be the disks of a mirror, of which
    /// one loses its power earlier.
    Half,
}

impl Survivors {
    /// What survives, as a phrase.
    pub fn words(self) -> &'static str {
        match self {
            Self::None => "nothing",
            Self::All => "everything",
            Self::Some => "a random part",
            Self::Torn => "everything but a part of the last request",
            Self::Half => "everything but what one half of the disk got since some earlier moment",
        }
    }
}

/// A power cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CrashState {
    /// Number of requests that the disk had completed.
    pub cut: usize,
    /// Which of the requests in its cache survive.
    pub survivors: Survivors,
    /// The seed of the random part.
    pub seed: u64,
}

/// Sectors of a request that reach the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestPiece {
    /// The request's number.
    pub request: usize,
    /// The first of its sectors, counted from its begin.
    pub first: u64,
    /// Number of sectors.
    pub count: u64,
}

/// What is on the disk: all of the first requests, and pieces of later ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiskContent {
    /// Number of requests that are durable.
    pub durable: usize,
    /// What survives of later ones, in the order in which it is written.
    pub pieces: Vec<RequestPiece>,
}

/// Why a log is no recording.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum RecordingError {
    #[error("the log has no mark of the begin")]
    NoBegin,
    #[error("the log has mark {found} where mark {expected} is expected")]
    OutOfOrder { expected: u64, found: u64 },
}

/// A log with the marks of a writer: number 0 when it begins, and number n when operation n - 1 is acknowledged.
#[derive(Debug)]
pub struct Recording {
    requests: Vec<Request>,
    /// The positions of the marks.
    marks: Vec<usize>,
    /// The sector at which the second half of the disk begins.
    middle: u64,
}

impl Recording {
    /// Finds the marks in the log of a disk of `size` bytes, which has these requests.
    ///
    /// # Errors
    /// If a mark is missing.
    pub fn new(requests: Vec<Request>, size: Bytes) -> Result<Self, RecordingError> {
        let mut marks = Vec::new();
        for (position, found) in requests.iter().enumerate().filter_map(|(at, request)| Some((at, request.mark()?))) {
            let expected = marks.len() as u64;
            if found != expected {
                return Err(RecordingError::OutOfOrder { expected, found });
            }
            marks.push(position);
        }
        match marks.is_empty() {
            true => Err(RecordingError::NoBegin),
            false => Ok(Self { requests, marks, middle: size.0 / 2 / SECTOR as u64 }),
        }
    }

    /// All requests.
    pub fn requests(&self) -> &[Request] {
        &self.requests
    }

    /// Number of operations that were acknowledged.
    pub fn acknowledged(&self) -> u64 {
        self.marks.len() as u64 - 1
    }

    /// Number of operations that were acknowledged before a power cut after `cut` requests.
    pub fn acknowledged_before(&self, cut: usize) -> u64 {
        (self.marks.partition_point(|mark| *mark < cut) as u64).saturating_sub(1)
    }

    /// Number of flushes between the begin and the last acknowledgement.
    pub fn flushes(&self) -> u64 {
        let (begin, end) = self.bounds();
        let is_flush = |request: &&Request| request.kind == RequestKind::Flush;
        self.requests[begin..end].iter().filter(is_flush).count() as u64
    }

    /// The cuts right after the begin and after the last acknowledgement.
    fn bounds(&self) -> (usize, usize) {
        let after = |mark: Option<&usize>| mark.map_or(0, |mark| mark + 1);
        (after(self.marks.first()), after(self.marks.last()))
    }

    /// `count` power cuts between the begin and the last acknowledgement, in the order of time. Every second one is
    /// right after an acknowledgement, where a missing flush shows; the others are anywhere.
    pub fn states(&self, count: usize, seed: u64) -> Vec<CrashState> {
        let mut random = generator(seed, "crash states", &[]);
        let (begin, end) = self.bounds();
        let acknowledgements = &self.marks[1..];
        let mut states: Vec<CrashState> = (0..count)
            .map(|number| {
                let cut = match acknowledgements.is_empty() || number % 2 == 1 {
                    true => random.random_range(begin..=end),
                    false => acknowledgements[random.random_range(0..acknowledgements.len())] + 1,
                };
                let survivors = match random.random_range(0..10) {
                    0..3 => Survivors::None,
                    3..5 => Survivors::All,
                    5..7 => Survivors::Some,
                    7..9 => Survivors::Torn,
                    _ => Survivors::Half,
                };
                CrashState { cut, survivors, seed: random.next_u64() }
            })
            .collect();
        states.sort_by_key(|state| state.cut);
        states
    }

    /// What is on the disk after a power cut. What precedes the begin is always durable.
    pub fn content(&self, state: &CrashState, disk: Disk) -> DiskContent {
        let begin = self.bounds().0;
        let is_flush = |request: &Request| request.kind == RequestKind::Flush;
        let flushed = match disk {
            Disk::Honest => self.requests[..state.cut].iter().rposition(is_flush).map_or(0, |at| at + 1),
            Disk::Lying => 0,
        };
        let durable = flushed.max(begin.min(state.cut));
        let cached: Vec<usize> = (durable..state.cut).filter(|at| !self.requests[*at].data.is_empty()).collect();
        let mut random = generator(state.seed, "survivors", &[]);
        let share: f64 = random.random_range(0.1..0.9);
        let last = cached.last().copied();
        // Of one half, and the earlier moment.
        let (second, since) = (random.random_bool(0.5), random.random_range(durable..=state.cut));
        let mut pieces = Vec::new();
        for request in cached {
            let Request { kind, sector, .. } = self.requests[request];
            let count = self.requests[request].sectors();
            let whole = RequestPiece { request, first: 0, count };
            let is_kept = match state.survivors {
                _ if kind == RequestKind::DurableWrite && disk == Disk::Honest => true,
                Survivors::None => false,
                Survivors::All => true,
                Survivors::Some => random.random_bool(share),
                Survivors::Torn if last == Some(request) => {
                    let sectors = (0..count).filter(|_| random.random_bool(share));
                    pieces.extend(sectors.map(|first| RequestPiece { request, first, count: 1 }));
                    false
                }
                Survivors::Torn => true,
                Survivors::Half => request < since || (sector >= self.middle) != second,
            };
            pieces.extend(is_kept.then_some(whole));
        }
        DiskContent { durable, pieces }
    }

    /// The data of a piece, and the byte at which they are on the disk.
    pub fn data(&self, piece: &RequestPiece) -> (u64, &[u8]) {
        let request = &self.requests[piece.request];
        let from = piece.first as usize * SECTOR;
        let data = &request.data[from..from + piece.count as usize * SECTOR];
        ((request.sector + piece.first) * SECTOR as u64, data)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::{MARKS, mark};

    fn write(sector: u64, sectors: usize) -> Request {
        Request { kind: RequestKind::Write, sector, data: vec![sector as u8; sectors * SECTOR] }
    }

    fn flush() -> Request {
        Request { kind: RequestKind::Flush, sector: 0, data: Vec::new() }
    }

    fn marked(number: u64) -> Request {
        Request { kind: RequestKind::Write, sector: MARKS, data: mark(number) }
    }

    /// Between the two halves.
    const SIZE: Bytes = Bytes(2 * 7_050 * SECTOR as u64);

    /// Two acknowledged operations: 0-2 are before the begin, 3 is its mark, 6 and 10 are acknowledgements.
    fn recording() -> Recording {
        let requests = vec![
            write(5000, 8),
            flush(),
            write(5001, 1),
            marked(0),
            write(6000, 8),
            flush(),
            marked(1),
            write(7000, 8),
            write(7100, 4),
            flush(),
            marked(2),
            write(8000, 1),
        ];
        Recording::new(requests, SIZE).expect("sound")
    }

    fn content(cut: usize, survivors: Survivors, disk: Disk) -> DiskContent {
        recording().content(&CrashState { cut, survivors, seed: 1 }, disk)
    }

    #[test]
    fn an_operation_is_acknowledged_once_its_mark_is_completed() {
        let recording = recording();
        let counts: Vec<u64> = (4..=12).map(|cut| recording.acknowledged_before(cut)).collect();
        assert_eq!(counts, [0, 0, 0, 1, 1, 1, 1, 2, 2]);
        assert_eq!((recording.acknowledged(), recording.flushes()), (2, 2));
    }

    #[test]
    fn marks_have_to_be_complete() {
        let of = |numbers: &[u64]| {
            let log = numbers.iter().map(|number| marked(*number)).collect();
            Recording::new(log, SIZE).map(|it| it.acknowledged())
        };
        assert_eq!(of(&[]), Err(RecordingError::NoBegin));
        assert_eq!(of(&[0, 1, 3]), Err(RecordingError::OutOfOrder { expected: 2, found: 3 }));
        assert_eq!(of(&[1]), Err(RecordingError::OutOfOrder { expected: 0, found: 1 }));
        assert_eq!(of(&[0, 1]), Ok(1));
    }

    #[test]
    fn flushed_writes_are_durable_and_the_rest_may_be_lost() {
        let whole = |request: usize, count| RequestPiece { request, first: 0, count };
        let none = |durable| DiskContent { durable, pieces: Vec::new() };
        assert_eq!(content(9, Survivors::None, Disk::Honest), none(6));
        assert_eq!(content(10, Survivors::All, Disk::Honest), none(10));
        let all = DiskContent { durable: 6, pieces: vec![whole(6, 1), whole(7, 8), whole(8, 4)] };
        assert_eq!(content(9, Survivors::All, Disk::Honest), all);
        // What precedes the begin survives without a flush, also on a disk that does not flush.
        assert_eq!(content(5, Survivors::None, Disk::Honest), none(4));
        assert_eq!(content(11, Survivors::None, Disk::Lying), none(4));
        let pieces = vec![whole(4, 8), whole(6, 1), whole(7, 8), whole(8, 4), whole(10, 1)];
        assert_eq!(content(11, Survivors::All, Disk::Lying), DiskContent { durable: 4, pieces });
    }

    #[test]
    fn of_a_torn_request_only_a_part_survives() {
        let mut sizes = std::collections::BTreeSet::new();
        for seed in 0..50 {
            let state = CrashState { cut: 9, survivors: Survivors::Torn, seed };
            let pieces = recording().content(&state, Disk::Honest).pieces;
            let (before, torn): (Vec<RequestPiece>, Vec<RequestPiece>) =
                pieces.into_iter().partition(|piece| piece.request < 8);
            assert_eq!(before.len(), 2, "all before the last one");
            assert!(torn.windows(2).all(|pair| pair[0].first < pair[1].first));
            assert!(torn.iter().all(|piece| piece.count == 1 && piece.first < 4));
            sizes.insert(torn.len());
        }
        assert!(sizes.len() > 2, "{sizes:?}");
    }

    #[test]
    fn any_part_of_the_cache_can_survive_but_never_more() {
        let mut seen = std::collections::BTreeSet::new();
        for seed in 0..100 {
            let state = CrashState { cut: 9, survivors: Survivors::Some, seed };
            let content = recording().content(&state, Disk::Honest);
            assert_eq!(content.durable, 6);
            seen.insert(content.pieces.iter().map(|piece| piece.request).collect::<Vec<_>>());
        }
        assert_eq!(seen.len(), 8, "each subset of requests 6, 7 and 8: {seen:?}");
    }

    #[test]
    fn one_half_of_the_disk_may_stop_earlier() {
        // Of the requests 6, 7 and 8, the first two are in the first half.
        let mut seen = std::collections::BTreeSet::new();
        for seed in 0..100 {
            let state = CrashState { cut: 9, survivors: Survivors::Half, seed };
            let pieces = recording().content(&state, Disk::Honest).pieces;
            seen.insert(pieces.iter().map(|piece| piece.request).collect::<Vec<_>>());
        }
        let all: [&[usize]; 4] = [&[6, 7], &[6, 7, 8], &[6, 8], &[8]];
        assert_eq!(seen.iter().map(Vec::as_slice).collect::<Vec<_>>(), all);
    }

    #[test]
    fn data_past_the_cache_survive_unless_the_disk_lies() {
        let mut requests = recording().requests;
        requests[7].kind = RequestKind::DurableWrite;
        let recording = Recording::new(requests, SIZE).expect("sound");
        let state = CrashState { cut: 9, survivors: Survivors::None, seed: 1 };
        let honest = recording.content(&state, Disk::Honest).pieces;
        assert_eq!(honest, [RequestPiece { request: 7, first: 0, count: 8 }]);
        assert_eq!(recording.content(&state, Disk::Lying).pieces, []);
    }

    #[test]
    fn cuts_follow_from_the_seed_and_lie_between_the_marks() {
        let recording = recording();
        let states = recording.states(200, 7);
        assert_eq!(states, recording.states(200, 7));
        assert_ne!(states, recording.states(200, 8));
        assert!(states.windows(2).all(|pair| pair[0].cut <= pair[1].cut));
        assert!(states.iter().all(|state| (4..=11).contains(&state.cut)));
        for survivors in [Survivors::None, Survivors::All, Survivors::Some, Survivors::Torn, Survivors::Half] {
            assert!(states.iter().filter(|state| state.survivors == survivors).count() > 10, "{survivors:?}");
        }
        let after_acknowledgements = states.iter().filter(|state| state.cut == 7 || state.cut == 11).count();
        assert!((100..160).contains(&after_acknowledgements), "{after_acknowledgements}");
        assert!((4..=11).all(|cut| states.iter().any(|state| state.cut == cut)));
    }

    #[test]
    fn a_piece_has_its_own_data() {
        let recording = recording();
        let (at, data) = recording.data(&RequestPiece { request: 7, first: 3, count: 2 });
        assert_eq!((at, data), (7003 * 512, [7000_u64 as u8; 1024].as_slice()));
    }
}
