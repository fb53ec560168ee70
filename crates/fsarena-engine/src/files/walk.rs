//! The objects on which operations work, and the order in which each worker goes through its share of them.

use rand::seq::SliceRandom;
use rand_pcg::Pcg64Mcg;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VisitOrder {
    /// By number, and thus directory by directory.
    InOrder,
    /// At random, in the same order each time.
    Random,
}

/// The objects on which an operation works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WalkGround {
    /// None: it makes files, in a tree that is new in each slice.
    NewFiles,
    /// None: it makes objects other than files, in a tree that is new in each slice.
    NewOthers,
    /// Files, each visited once. They are made again before each slice.
    UsedFiles,
    /// Empty directories, each visited once. They are made again before each slice.
    UsedDirectories,
    /// Files, all of them in this order, again and again.
    Files(VisitOrder),
    /// Files with an extended attribute, all of them in random order, again and again.
    FilesWithAttribute,
    /// The directories that hold files, all of them in random order, again and again.
    Directories,
    /// One file per worker, which is empty at first.
    Log,
}

impl WalkGround {
    /// Whether the tree is made again before each slice.
    pub fn is_renewed(self) -> bool {
        matches!(self, Self::NewFiles | Self::NewOthers | Self::UsedFiles | Self::UsedDirectories)
    }

    /// Whether no objects exist before.
    pub fn is_new(self) -> bool {
        matches!(self, Self::NewFiles | Self::NewOthers)
    }

    /// Whether the objects are files, which have a size.
    pub fn has_files(self) -> bool {
        !matches!(self, Self::NewOthers | Self::UsedDirectories)
    }

    pub fn order(self) -> VisitOrder {
        match self {
            Self::Files(order) => order,
            Self::FilesWithAttribute | Self::Directories => VisitOrder::Random,
            _ => VisitOrder::InOrder,
        }
    }
}

/// A worker's share of the objects of a tree: every `step`-th object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WalkShare {
    pub first: u32,
    step: u32,
    count: u32,
}

impl WalkShare {
    /// The share of worker `worker` of `workers`. Neighbouring objects belong to different workers, so that the workers
    /// meet in each directory.
    pub fn of(objects: u32, workers: u32, worker: u32) -> Self {
        let count = objects.saturating_sub(worker).div_ceil(workers);
        Self { first: worker, step: workers, count }
    }

    pub fn all(objects: u32) -> Self {
        Self::of(objects, 1, 0)
    }

    #[inline]
    fn number(self, index: u32) -> u32 {
        self.first + index * self.step
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ObjectVisit {
    pub number: u32,
    /// Number of earlier visits.
    pub pass: u32,
}

/// A sequence of visits to the objects of a share.
pub struct Walk {
    share: WalkShare,
    /// The numbers, if the order is random.
    shuffled: Option<Vec<u32>>,
    /// Whether it starts again at its end.
    pub repeats: bool,
    next: u32,
    pass: u32,
}

impl Walk {
    /// Visits the objects of `share` again and again. A random order follows from `random`.
    pub fn new(share: WalkShare, order: VisitOrder, mut random: Pcg64Mcg) -> Self {
        let shuffled = (order == VisitOrder::Random).then(|| {
            let mut numbers: Vec<u32> = (0..share.count).map(|index| share.number(index)).collect();
            numbers.shuffle(&mut random);
            numbers
        });
        Self { share, shuffled, repeats: true, next: 0, pass: 0 }
    }

    /// Whether an object is left to visit.
    #[inline]
    pub fn is_left(&self) -> bool {
        self.next < self.share.count
    }

    /// Number of objects of this pass that are left.
    #[inline]
    pub fn left(&self) -> u32 {
        self.share.count - self.next
    }

    /// The next visit. The caller ensures that an object is left.
    #[inline]
    pub fn next(&mut self) -> ObjectVisit {
        let number = match &self.shuffled {
            Some(numbers) => numbers[self.next as usize],
            None => self.share.number(self.next),
        };
        let visit = ObjectVisit { number, pass: self.pass };
        self.next += 1;
        if self.repeats && self.next == self.share.count {
            self.next = 0;
            self.pass = self.pass.wrapping_add(1);
        }
        visit
    }

    /// Starts again at the first object.
    pub fn rewind(&mut self) {
        (self.next, self.pass) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use fsarena_model::seed::generator;

    use super::*;

    fn visits(walk: &mut Walk, count: usize) -> Vec<(u32, u32)> {
        let next = || walk.is_left().then(|| walk.next()).map(|visit| (visit.number, visit.pass));
        std::iter::from_fn(next).take(count).collect()
    }

    #[test]
    fn a_random_order_follows_from_its_seed_and_stays() {
        let walk = |seed| Walk::new(WalkShare::all(100), VisitOrder::Random, generator(seed, "order", &[]));
        let numbers = |walk: &mut Walk| visits(walk, 100).iter().map(|visit| visit.0).collect::<Vec<_>>();
        let mut one = walk(1);
        let first = numbers(&mut one);
        assert_eq!(first, numbers(&mut one), "the second pass");
        assert_eq!(first, numbers(&mut walk(1)));
        assert_ne!(first, numbers(&mut walk(2)));
        assert_eq!(first.iter().sum::<u32>(), 4950, "each once");
    }
}
