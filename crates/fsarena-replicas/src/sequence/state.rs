//! The expected state: all files and directories as the steps leave them, the contents of their writes, and the
//! comparison with what a directory holds. A write is a piece of random bytes from the seed. Each piece can be
//! distinguished from all others by its place in the pool.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use fsarena_model::Verification;
use fsarena_model::seed::scatter;

use super::parameters::LONGEST;
use fsarena_engine::contents::Recipe;
use fsarena_engine::{EngineError, go_on};

/// Files and directories by their paths.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SequenceState {
    pub nodes: BTreeMap<String, Node>,
    /// Of all files.
    pub bytes: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node {
    Directory,
    /// A file: its size, and the pieces that were written. Later pieces overwrite earlier ones.
    File {
        size: u64,
        /// The pieces, in the order in which they were written.
        pieces: Vec<PoolPiece>,
    },
}

impl SequenceState {
    /// Adds a node. Returns an error if one exists at `path`.
    pub fn make(&mut self, path: &str, node: Node) -> Result<(), String> {
        match self.nodes.insert(path.to_owned(), node) {
            None => Ok(()),
            Some(_) => Err(format!("`{path}` is there already")),
        }
    }

    /// Adds the directories that lead to `path`. Returns those that did not exist.
    pub fn lead_to(&mut self, path: &str) -> Vec<String> {
        let ends = path.match_indices('/').map(|(at, _)| path[..at].to_owned());
        let made: Vec<String> = ends.filter(|folder| !self.nodes.contains_key(folder)).collect();
        made.iter().for_each(|folder| drop(self.nodes.insert(folder.clone(), Node::Directory)));
        made
    }

    pub fn size(&self, path: &str) -> Result<u64, String> {
        match self.nodes.get(path) {
            Some(Node::File { size, .. }) => Ok(*size),
            Some(Node::Directory) => Err(format!("`{path}` is a directory")),
            None => Err(format!("there is no file `{path}` then")),
        }
    }

    /// Writes into a file, which grows if necessary.
    pub fn write(&mut self, path: &str, piece: PoolPiece) -> Result<(), String> {
        match self.nodes.get_mut(path) {
            Some(Node::File { size, pieces }) => {
                let end = piece.offset + piece.length;
                self.bytes += end.saturating_sub(*size);
                *size = end.max(*size);
                pieces.push(piece);
                Ok(())
            }
            _ => Err(format!("there is no file `{path}` then")),
        }
    }

    pub fn remove_file(&mut self, path: &str) -> Result<(), String> {
        self.bytes -= self.size(path)?;
        self.nodes.remove(path);
        Ok(())
    }

    pub fn remove_directory(&mut self, path: &str) -> Result<(), String> {
        if self.children(path) > 0 {
            return Err(format!("the directory `{path}` is not empty then"));
        }
        self.remove_tree(path).map(drop)
    }

    /// Removes a directory with its contents. Returns the number of removed nodes.
    pub fn remove_tree(&mut self, path: &str) -> Result<u64, String> {
        if self.nodes.get(path) != Some(&Node::Directory) {
            return Err(format!("there is no directory `{path}` then"));
        }
        let inside = format!("{path}/");
        let gone: Vec<String> = self.nodes.keys().filter(|name| name.starts_with(&inside)).cloned().collect();
        for name in gone.iter().rev() {
            if let Some(Node::File { size, .. }) = self.nodes.remove(name) {
                self.bytes -= size;
            }
        }
        self.nodes.remove(path);
        Ok(gone.len() as u64 + 1)
    }

    pub fn rename(&mut self, from: &str, to: &str) -> Result<(), String> {
        self.size(from)?;
        let node = self.nodes.remove(from).ok_or_else(|| format!("there is no file `{from}` then"))?;
        self.make(to, node)
    }

    /// Number of nodes directly in a directory.
    pub fn children(&self, path: &str) -> u64 {
        let inside = format!("{path}/");
        let below = self.nodes.range(inside.clone()..).take_while(|(name, _)| name.starts_with(&inside));
        below.filter(|(name, _)| !name[inside.len()..].contains('/')).count() as u64
    }
}

/// Places of pieces in the pool are below this, bytes.
const POOL: u64 = 8 << 20;

/// A range of bytes of a file, and their place in the pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolPiece {
    /// Offset in the file, bytes.
    pub offset: u64,
    pub length: u64,
    /// Place in the pool, bytes.
    pub at: u64,
}

/// The place in the pool of piece `block` of the file `item` of step `step`.
pub fn place(seed: u64, step: usize, item: usize, block: u64) -> u64 {
    let salt = scatter(seed ^ scatter((step as u64) << 48 ^ (item as u64) << 28 ^ block));
    salt % POOL
}

/// The bytes of which all pieces are made.
pub struct Pool(Vec<u8>);

impl Pool {
    pub fn new(seed: u64) -> Self {
        let length = (POOL + LONGEST) as usize;
        let mut bytes = vec![0; length];
        Recipe::random(seed, length).fill(&mut bytes);
        Self(bytes)
    }

    /// The bytes of a piece, which has at most [`LONGEST`] bytes.
    #[inline]
    pub fn bytes(&self, piece: PoolPiece) -> &[u8] {
        &self.0[piece.at as usize..][..piece.length as usize]
    }

    /// Copies the part of `piece` that belongs into `memory`, which begins at byte `from` of the file.
    pub fn put(&self, piece: PoolPiece, from: u64, memory: &mut [u8]) {
        let (begin, end) = (piece.offset.max(from), (piece.offset + piece.length).min(from + memory.len() as u64));
        if begin < end {
            let source = &self.bytes(piece)[(begin - piece.offset) as usize..(end - piece.offset) as usize];
            memory[(begin - from) as usize..(end - from) as usize].copy_from_slice(source);
        }
    }
}

/// Maximum number of differences that are reported.
const MOST: usize = 100;

/// Compares the contents of `directory` with `wanted`. Returns an error once `stop` is set.
pub fn compare(
    directory: &Path,
    wanted: &SequenceState,
    pool: &Pool,
    stop: &AtomicBool,
) -> Result<Verification, EngineError> {
    let mut found = BTreeMap::new();
    let reading = format!("list {}", directory.display());
    collect(directory, "", &mut found).map_err(EngineError::io(reading))?;
    let mut verification = Verification::default();
    for (path, node) in &wanted.nodes {
        go_on(stop).map_err(EngineError::io("compare the files"))?;
        verification.files += 1;
        let difference = match (found.remove(path), node) {
            (None, _) => Some("it is missing".to_owned()),
            (Some(ObjectType::Directory), Node::Directory) => None,
            (Some(ObjectType::File), Node::File { size, pieces }) => {
                let compared = compared(&directory.join(path), *size, pieces, pool);
                compared.unwrap_or_else(|error| Some(format!("it cannot be read: {error}")))
            }
            (Some(ObjectType::Unreadable(why)), _) => Some(why),
            (Some(_), _) => Some("it is of another type".to_owned()),
        };
        verification.differences.extend(difference.map(|what| format!("{path}: {what}")));
    }
    verification.differences.extend(found.into_keys().map(|path| format!("{path}: it should not be there")));
    verification.differences.truncate(MOST);
    Ok(verification)
}

enum ObjectType {
    Directory,
    File,
    Other,
    Unreadable(String),
}

/// Collects all objects below `inside`. A directory that cannot be read is recorded as unreadable.
fn collect(root: &Path, inside: &str, found: &mut BTreeMap<String, ObjectType>) -> io::Result<()> {
    for entry in fs::read_dir(root.join(inside))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if inside.is_empty() { name } else { format!("{inside}/{name}") };
        let kind = match entry.file_type() {
            Ok(kind) if kind.is_dir() => match collect(root, &path, found) {
                Ok(()) => ObjectType::Directory,
                Err(error) => ObjectType::Unreadable(format!("it cannot be listed: {error}")),
            },
            Ok(kind) if kind.is_file() => ObjectType::File,
            Ok(_) => ObjectType::Other,
            Err(error) => ObjectType::Unreadable(error.to_string()),
        };
        found.insert(path, kind);
    }
    Ok(())
}

fn compared(path: &Path, size: u64, pieces: &[PoolPiece], pool: &Pool) -> io::Result<Option<String>> {
    let file = File::open(path)?;
    let has = file.metadata()?.len();
    if has != size {
        return Ok(Some(format!("it has {has} bytes and should have {size}")));
    }
    let (mut is, mut should) = (vec![0; LONGEST as usize], vec![0; LONGEST as usize]);
    let mut from = 0;
    while from < size {
        let length = (size - from).min(LONGEST) as usize;
        file.read_exact_at(&mut is[..length], from)?;
        should.fill(0);
        pieces.iter().for_each(|piece| pool.put(*piece, from, &mut should[..length]));
        if let Some(at) = is[..length].iter().zip(&should[..length]).position(|(is, should)| is != should) {
            return Ok(Some(format!("byte {} is another", from + at as u64)));
        }
        from += length as u64;
    }
    Ok(None)
}
