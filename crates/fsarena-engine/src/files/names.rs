//! The shape of a tree, and the names and paths in it, as C strings that operations use without allocation.

use std::ffi::CStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

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

    /// Objects in each directory of the deepest level; the last ones may have fewer.
    pub fn per_leaf(&self) -> u32 {
        self.objects.div_ceil(self.leaves()).max(1)
    }
}

/// Digits of an object's name.
const DIGITS: usize = 8;

/// The paths of the objects with one letter, relative to the root of the tree: `b002/b017/f00000123`. The directories
/// are rewritten only if they differ from those of the previous path.
#[derive(Debug, Clone)]
pub struct Paths {
    folders: Folders,
    per_leaf: u32,
    /// Number of the directory in the current path.
    leaf: u32,
    /// The name of object 0: a letter and eight digits.
    name: [u8; DIGITS + 2],
}

impl Paths {
    /// Paths relative to the root of the tree.
    pub fn new(shape: &Shape, letter: u8) -> Self {
        Self::after(Vec::new(), shape, letter)
    }

    /// Paths that begin with the path of the root, for calls that take no open directory.
    pub fn below(root: &Path, shape: &Shape, letter: u8) -> Self {
        let mut prefix = root.as_os_str().as_bytes().to_vec();
        prefix.push(b'/');
        Self::after(prefix, shape, letter)
    }

    fn after(prefix: Vec<u8>, shape: &Shape, letter: u8) -> Self {
        let mut name = *b"-00000000\0";
        name[0] = letter;
        let mut paths = Self { folders: Folders::after(prefix, shape), per_leaf: shape.per_leaf(), leaf: 0, name };
        paths.enter(0);
        paths
    }

    /// The path of object `number`, below 100 million.
    #[inline]
    pub fn of(&mut self, number: u32) -> &CStr {
        let leaf = number / self.per_leaf;
        if leaf != self.leaf {
            self.enter(leaf);
        }
        let bytes = &mut self.folders.bytes;
        let end = bytes.len() - 1;
        write_digits(&mut bytes[end - DIGITS..end], number);
        c_string(bytes)
    }

    fn enter(&mut self, leaf: u32) {
        self.leaf = leaf;
        self.folders.write(leaf);
        self.folders.bytes.extend_from_slice(&self.name);
    }
}

/// The paths of the directories of the deepest level: `b002/b017`. The path of the root is `.`.
#[derive(Debug, Clone)]
pub struct Folders {
    bytes: Vec<u8>,
    prefix: usize,
    depth: u32,
    fan_out: u32,
}

impl Folders {
    /// Bytes of `b000/`.
    const STEP: usize = 5;

    /// Paths relative to the root of the tree.
    pub fn new(shape: &Shape) -> Self {
        Self::after(Vec::new(), shape)
    }

    fn after(mut bytes: Vec<u8>, shape: &Shape) -> Self {
        let prefix = bytes.len();
        bytes.reserve_exact(shape.depth as usize * Self::STEP + DIGITS + 2);
        Self { bytes, prefix, depth: shape.depth, fan_out: shape.fan_out }
    }

    #[inline]
    pub fn of(&mut self, leaf: u32) -> &CStr {
        self.write(leaf);
        match self.depth {
            0 => self.bytes.push(b'.'),
            _ => self.bytes.truncate(self.bytes.len() - 1),
        }
        self.bytes.push(0);
        c_string(&self.bytes)
    }

    /// Writes the directories, each followed by a slash.
    fn write(&mut self, leaf: u32) {
        let end = self.prefix + self.depth as usize * Self::STEP;
        self.bytes.truncate(self.prefix);
        self.bytes.resize(end, b'/');
        let mut rest = leaf;
        for step in self.bytes[self.prefix..].chunks_exact_mut(Self::STEP).rev() {
            step[0] = b'b';
            write_digits(&mut step[1..Self::STEP - 1], rest % self.fan_out);
            rest /= self.fan_out;
        }
    }
}

#[inline]
fn write_digits(digits: &mut [u8], mut number: u32) {
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + (number % 10) as u8;
        number /= 10;
    }
}

#[inline]
fn c_string(bytes: &[u8]) -> &CStr {
    CStr::from_bytes_with_nul(bytes).expect("the only zero byte is the last: the kernel takes no path with another")
}
