//! The shape of a tree: directories in levels, and objects in the directories of the deepest level.

/// Directories in levels. Each directory above the deepest level holds the same number of directories. Objects lie in
/// the directories of the deepest level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Levels below the tree's root, at most [`Shape::DEEPEST`]; 0: objects lie in the root.
    pub depth: u32,
    /// Directories in each directory, at most [`Shape::WIDEST`].
    pub fan_out: u32,
    /// Objects in the tree, at least one.
    pub objects: u32,
}

impl Shape {
    /// Maximum number of levels.
    pub const DEEPEST: u32 = 8;
    /// Maximum number of directories in a directory.
    pub const WIDEST: u32 = 1000;
    /// Maximum number of directories of the deepest level.
    pub const MOST_LEAVES: u32 = 1_000_000;
    /// Maximum number of objects in a tree: their names have eight digits.
    pub const MOST_OBJECTS: u32 = 99_999_999;

    /// Directories of the deepest level; `None` if they are too many.
    pub fn count_leaves(depth: u32, fan_out: u32) -> Option<u32> {
        fan_out.checked_pow(depth).filter(|leaves| *leaves <= Self::MOST_LEAVES)
    }

    /// Directories of the deepest level.
    pub fn leaves(&self) -> u32 {
        Self::count_leaves(self.depth, self.fan_out).expect("parameters are checked")
    }

    /// Directories of the deepest level that have an object in them.
    pub fn used_leaves(&self) -> u32 {
        self.objects.div_ceil(self.per_leaf())
    }

    /// Number of all directories, including the root.
    pub fn directories(&self) -> u32 {
        (0..=self.depth).map(|level| self.fan_out.pow(level)).sum()
    }

    /// The shape without the levels below `level`.
    pub fn down_to(&self, level: u32) -> Self {
        Self { depth: level, ..*self }
    }

    /// Objects in each directory of the deepest level; the last ones may have fewer.
    pub fn per_leaf(&self) -> u32 {
        self.objects.div_ceil(self.leaves()).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_lie_in_the_deepest_directories() {
        let shape = Shape { depth: 2, fan_out: 3, objects: 20 };
        assert_eq!((shape.leaves(), shape.directories(), shape.per_leaf()), (9, 13, 3));
        assert_eq!(shape.used_leaves(), 7, "six of 3 objects, and one of 2");
        let flat = Shape { depth: 0, fan_out: 1, objects: 20 };
        assert_eq!((flat.leaves(), flat.directories(), flat.per_leaf()), (1, 1, 20));
        assert_eq!(Shape::count_leaves(8, 1000), None);
        assert_eq!(Shape::count_leaves(2, 1000), Some(1_000_000));
    }
}
