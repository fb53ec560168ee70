//! The expected state: all files and directories, as the steps leave them.

use std::collections::BTreeMap;

use super::contents::Piece;

/// Files and directories by their paths.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct State {
    nodes: BTreeMap<String, Node>,
    /// Bytes of all files.
    pub bytes: u64,
}

/// A file or a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node {
    /// A directory.
    Directory,
    /// A file: its size, and the pieces that were written. Later pieces overwrite earlier ones.
    File {
        /// Size, bytes.
        size: u64,
        /// The pieces, in the order in which they were written.
        pieces: Vec<Piece>,
    },
}

impl State {
    /// All nodes, in the order of their paths.
    pub fn nodes(&self) -> impl Iterator<Item = (&str, &Node)> {
        self.nodes.iter().map(|(path, node)| (path.as_str(), node))
    }

    /// The node at `path`.
    pub fn at(&self, path: &str) -> Option<&Node> {
        self.nodes.get(path)
    }

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

    /// The size of a file.
    pub fn size(&self, path: &str) -> Result<u64, String> {
        match self.nodes.get(path) {
            Some(Node::File { size, .. }) => Ok(*size),
            Some(Node::Directory) => Err(format!("`{path}` is a directory")),
            None => Err(format!("there is no file `{path}` then")),
        }
    }

    /// Writes into a file, which grows if necessary.
    pub fn write(&mut self, path: &str, piece: Piece) -> Result<(), String> {
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

    /// Removes a file.
    pub fn remove_file(&mut self, path: &str) -> Result<(), String> {
        self.bytes -= self.size(path)?;
        self.nodes.remove(path);
        Ok(())
    }

    /// Removes an empty directory.
    pub fn remove_directory(&mut self, path: &str) -> Result<(), String> {
        if self.at(path) != Some(&Node::Directory) {
            return Err(format!("there is no directory `{path}` then"));
        }
        if self.children(path) > 0 {
            return Err(format!("the directory `{path}` is not empty then"));
        }
        self.nodes.remove(path);
        Ok(())
    }

    /// Removes a directory with its contents. Returns the number of removed nodes.
    pub fn remove_tree(&mut self, path: &str) -> Result<u64, String> {
        if self.at(path) != Some(&Node::Directory) {
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

    /// Renames a file.
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
