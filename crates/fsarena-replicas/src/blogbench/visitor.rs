//! A site of blogs, and one thread that writes, changes, comments on or reads them.

use std::fmt::Write;
use std::fs::File;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use fsarena_engine::workers::{Timer, Worker};
use fsarena_engine::{EngineError, Operation, RunStats};
use fsarena_model::Nanos;
use fsarena_model::seed::generator;
use fsarena_sys::clock;
use rand::{Rng, RngExt};
use rand_pcg::Pcg64Mcg;
use rustix::fs::{AtFlags, Mode, OFlags, mkdirat, openat, renameat, unlinkat};
use rustix::io::{Errno, read, write};

/// Maximum number of articles, of pictures and of comments of a blog.
pub const MOST: u64 = 100;
/// Bytes of an article, a picture, a comment.
pub const ARTICLE: Range<u64> = 1024..32768;
pub const PICTURE: Range<u64> = 8192..65536;
pub const COMMENT: Range<u64> = 2048..10240;
/// The data of every write.
const CHUNK: [u8; 8192] = [0; 8192];
/// Maximum bytes of a read.
const READ: usize = 65536;
/// Interval at which a waiting thread checks whether the run is over.
const LOOK: Duration = Duration::from_millis(10);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VisitorKind {
    Writer,
    /// Rewrites an article, and sometimes a picture.
    Rewriter,
    Commenter,
    Reader,
}

pub struct Visitor<'a> {
    site: &'a Site<'a>,
    pub kind: VisitorKind,
    random: Pcg64Mcg,
    rest: Duration,
    buffer: Vec<u8>,
    path: String,
    temporary: String,
    /// The latencies of the files that it created and read.
    stats: RunStats,
    /// The rounds that it has completed.
    pub rounds: u64,
    /// The bytes of the files that it created and read.
    pub bytes: u64,
}

impl<'a> Visitor<'a> {
    /// Thread number `number` of its kind. It waits for `rest` when it finds nothing to do, or when another thread has
    /// moved its file away.
    pub fn new(site: &'a Site<'a>, (kind, number): (VisitorKind, u64), seed: u64, rest: Duration) -> Self {
        let random = generator(seed, "blogbench", &[kind as u64, number]);
        let (path, temporary, stats) = (String::new(), String::new(), RunStats::new());
        Self { site, kind, random, rest, buffer: vec![0; READ], path, temporary, stats, rounds: 0, bytes: 0 }
    }

    fn visit(&mut self) -> Result<(), Errno> {
        while !self.site.is_over() {
            let is_done = match self.kind {
                VisitorKind::Writer => self.write_blog(),
                VisitorKind::Rewriter => self.rewrite(),
                VisitorKind::Commenter => self.comment(),
                VisitorKind::Reader => self.read_blog(),
            };
            match is_done {
                Ok(true) => self.rounds += 1,
                // There is no more work, or the run ended before the round was done.
                Ok(false) => return Ok(()),
                // There is no blog yet, or another thread has moved the file away.
                Err(Errno::NOENT) => self.rest(),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn rest(&self) {
        let mut left = self.rest;
        while !left.is_zero() && !self.site.is_over() {
            std::thread::sleep(LOOK.min(left));
            left = left.saturating_sub(LOOK);
        }
    }

    /// Creates a blog: its articles, then its pictures, each from the last number to the first.
    fn write_blog(&mut self) -> Result<bool, Errno> {
        let Some(blog) = self.site.new_blog() else { return Ok(false) };
        self.name(|path| write!(path, "blog-{blog}"));
        match mkdirat(&self.site.folder, self.path.as_str(), Mode::RWXU) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(error),
        }
        Ok(self.descending(blog, Object::Article)? && self.descending(blog, Object::Picture)?)
    }

    fn rewrite(&mut self) -> Result<bool, Errno> {
        let blog = self.some_blog()?;
        if self.random.random_bool(0.5) {
            let number = self.up_to_most();
            self.create(blog, Object::Picture, number)?;
        }
        let number = self.up_to_most();
        self.create(blog, Object::Article, number)?;
        Ok(true)
    }

    /// Writes the comments of a blog. If there is no blog to choose, this is number 0, the first blog.
    fn comment(&mut self) -> Result<bool, Errno> {
        let blog = self.some_blog().unwrap_or(0);
        self.descending(blog, Object::Comment)
    }

    /// Reads all comments or none, then pictures and articles up to the first article that does not exist.
    fn read_blog(&mut self) -> Result<bool, Errno> {
        let blog = self.some_blog()?;
        if self.random.random_bool(0.5) {
            let mut number = 1;
            while !self.site.is_over() && self.read(blog, Object::Comment, number)? {
                number += 1;
            }
        }
        for number in 1.. {
            if self.site.is_over() {
                return Ok(false);
            }
            self.read(blog, Object::Picture, number)?;
            if !self.read(blog, Object::Article, number)? {
                break;
            }
        }
        Ok(true)
    }

    fn some_blog(&mut self) -> Result<u64, Errno> {
        self.site.some_blog(self.random.next_u64()).ok_or(Errno::NOENT)
    }

    fn up_to_most(&mut self) -> u64 {
        self.random.random_range(1..=MOST)
    }

    /// Creates a random number of objects of a kind, from the last number to the first; `false` if the run is over.
    fn descending(&mut self, blog: u64, object: Object) -> Result<bool, Errno> {
        for number in (1..=self.up_to_most()).rev() {
            if self.site.is_over() {
                return Ok(false);
            }
            self.create(blog, object, number)?;
        }
        Ok(true)
    }

    fn name(&mut self, say: impl FnOnce(&mut String) -> std::fmt::Result) {
        self.path.clear();
        say(&mut self.path).expect("a string takes all");
    }

    /// Writes a file under a temporary name, then renames it.
    fn create(&mut self, blog: u64, object: Object, number: u64) -> Result<(), Errno> {
        let begin = clock::now();
        self.name(|path| object.name(path, blog, number));
        self.temporary.clone_from(&self.path);
        self.temporary.push_str(".tmp");
        let size = self.random.random_range(object.sizes());
        let folder = &self.site.folder;
        let flags = OFlags::CREATE | OFlags::TRUNC | OFlags::WRONLY | OFlags::CLOEXEC;
        let file = openat(folder, self.temporary.as_str(), flags, Mode::RUSR | Mode::WUSR)?;
        let mut left = size as usize;
        while left > 0 {
            match write(&file, &CHUNK[..left.min(CHUNK.len())])? {
                0 => return Err(Errno::NOSPC),
                done => left -= done,
            }
        }
        drop(file);
        renameat(folder, self.temporary.as_str(), folder, self.path.as_str()).inspect_err(|_| self.discard())?;
        self.note(Operation::Create, begin, size);
        Ok(())
    }

    /// Removes the temporary file and the file after a failed rename.
    fn discard(&self) {
        for path in [&self.temporary, &self.path] {
            // The caller returns the error of the rename. A file that does not exist needs no removal.
            let _ = unlinkat(&self.site.folder, path.as_str(), AtFlags::empty());
        }
    }

    /// Reads a whole file. `false` if it does not exist.
    fn read(&mut self, blog: u64, object: Object, number: u64) -> Result<bool, Errno> {
        let begin = clock::now();
        self.name(|path| object.name(path, blog, number));
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        let file = match openat(&self.site.folder, self.path.as_str(), flags, Mode::empty()) {
            Err(Errno::NOENT) => return Ok(false),
            file => file?,
        };
        let mut size = 0;
        loop {
            match read(&file, &mut self.buffer[..])? {
                0 => break,
                done => size += done as u64,
            }
        }
        drop(file);
        self.note(Operation::Read, begin, size);
        Ok(true)
    }

    fn note(&mut self, operation: Operation, begin: Nanos, bytes: u64) {
        self.bytes += bytes;
        self.stats.record(operation, clock::now().saturating_sub(begin));
    }
}

impl Worker for Visitor<'_> {
    /// The run ends for all visitors when one fails, or when the last writer has no more to write.
    fn work(&mut self, timer: Timer<'_>) -> Result<(), EngineError> {
        let begin = timer.entry.pass()?;
        self.stats = std::mem::take(timer.stats);
        let visited = self.visit();
        let has_last_written =
            self.kind == VisitorKind::Writer && self.site.writers.fetch_sub(1, Ordering::Relaxed) == 1;
        if has_last_written || visited.is_err() {
            self.site.over.store(true, Ordering::Relaxed);
        }
        self.stats.elapsed = clock::now().saturating_sub(begin);
        *timer.stats = std::mem::take(&mut self.stats);
        visited.map_err(EngineError::io("write, change, comment on and read blogs"))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Object {
    Article,
    Picture,
    Comment,
}

impl Object {
    fn name(self, path: &mut String, blog: u64, number: u64) -> std::fmt::Result {
        match self {
            Self::Article => write!(path, "blog-{blog}/article-{number}.xml"),
            Self::Picture => write!(path, "blog-{blog}/picture-{number}.jpg"),
            Self::Comment => write!(path, "blog-{blog}/comment-{number}.xml"),
        }
    }

    fn sizes(self) -> Range<u64> {
        match self {
            Self::Article => ARTICLE,
            Self::Picture => PICTURE,
            Self::Comment => COMMENT,
        }
    }
}

/// A site: a folder of blogs, and the state that the threads share.
#[derive(Debug)]
pub struct Site<'a> {
    pub folder: File,
    next: AtomicU64,
    most: u64,
    /// Writers that are still at work.
    writers: AtomicU32,
    over: AtomicBool,
    /// When the run ends, by the monotonic clock.
    end: Nanos,
    stop: &'a AtomicBool,
}

impl<'a> Site<'a> {
    /// A site on which up to `most` blogs are written by `writers` until `end`, or until `stop` is set.
    pub fn new(folder: File, most: u64, writers: u32, end: Nanos, stop: &'a AtomicBool) -> Self {
        let (next, writers, over) = (AtomicU64::new(0), AtomicU32::new(writers), AtomicBool::new(false));
        Self { folder, next, most, writers, over, end, stop }
    }

    /// Reserves the number of a new blog. `None` if the maximum number of blogs is reached.
    pub fn new_blog(&self) -> Option<u64> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        (number < self.most).then_some(number)
    }

    /// Chooses an existing blog with a random number. `None` if there are too few, or if the choice is number 0, which
    /// means no blog in BlogBench. The newest blog is never chosen.
    pub fn some_blog(&self, random: u64) -> Option<u64> {
        let last = self.next.load(Ordering::Relaxed).min(self.most).saturating_sub(1);
        (last > 0).then(|| random % last).filter(|number| *number > 0)
    }

    /// Whether the run is over. Each thread then finishes its current file.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed) || self.stop.load(Ordering::Relaxed) || clock::now() >= self.end
    }
}
