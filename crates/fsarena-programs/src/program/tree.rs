//! Directory trees that follow from the seed and look like real ones: sizes, depths, names and compressibility have the
//! distributions of trees that were measured (docs/real-work.md has the script and the figures).

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use fsarena_engine::go_on;
use fsarena_model::seed::generator;
use rand::seq::SliceRandom;
use rand::{Rng, RngExt};
use rand_pcg::Pcg64Mcg;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Tree {
    /// The kind of real tree that it is like.
    pub like: Like,
    pub files: u32,
    /// Trees with other variants have other names and contents.
    #[serde(default)]
    pub variant: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Like {
    /// The sources of Linux 6.1.
    Sources,
    /// Packages of npm and Python.
    Packages,
    /// Programs, libraries and data below `/usr` of Debian.
    System,
    /// Messages of a mailbox, in one directory.
    Mails,
    /// Documents of a desktop.
    Documents,
}

/// A distribution, as quantiles of equal distance in the list [`AT`].
type Quantiles = [f64; AT.len()];

/// The shares to which [`Quantiles`] belong.
const AT: [f64; 9] = [0.01, 0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999];

/// The distributions of a kind of tree.
struct TreeShape {
    /// Sizes of files, bytes.
    sizes: Quantiles,
    /// Number of files in each directory that has any.
    per_directory: Quantiles,
    /// Share of the files in directories of depth 0 (the root), 1, 2, …
    depths: &'static [f64],
    /// Length of a name without its ending, bytes.
    names: Quantiles,
    /// Endings of names, as often as they are listed.
    endings: &'static [&'static str],
    /// Share of the bytes that are random, and so cannot be compressed; the rest is text, which deflate compresses to a
    /// quarter.
    random: f64,
}

const SOURCES: TreeShape = TreeShape {
    sizes: [73.0, 254.0, 1280.0, 3874.0, 11_416.0, 28_759.0, 48_093.0, 124_858.0, 1_120_270.0],
    per_directory: [1.0, 1.0, 3.0, 7.0, 16.0, 34.0, 55.0, 160.0, 484.0],
    depths: &[0.0, 0.014, 0.175, 0.317, 0.265, 0.148, 0.039, 0.032, 0.009],
    names: [2.0, 3.0, 6.0, 9.0, 13.0, 18.0, 21.0, 29.0, 40.0],
    endings: &[".c", ".c", ".c", ".c", ".h", ".h", ".h", ".yaml", ".rst", ".txt", "", ".dts"],
    random: 0.0,
};

const PACKAGES: TreeShape = TreeShape {
    sizes: [23.0, 143.0, 802.0, 1936.0, 6178.0, 14_030.0, 21_989.0, 69_364.0, 151_278.0],
    per_directory: [1.0, 1.0, 1.0, 3.0, 6.0, 11.0, 15.0, 45.0, 74.0],
    depths: &[0.0, 0.003, 0.022, 0.275, 0.289, 0.269, 0.126, 0.016],
    names: [2.0, 4.0, 5.0, 7.0, 10.0, 14.0, 17.0, 21.0, 30.0],
    endings: &[".js", ".js", ".js", ".json", ".md", ".py", ".py", ".d.ts"],
    random: 0.08,
};

const SYSTEM: TreeShape = TreeShape {
    sizes: [55.0, 228.0, 693.0, 1900.0, 8_000.0, 39_000.0, 110_000.0, 762_256.0, 5_000_000.0],
    per_directory: [1.0, 1.0, 1.0, 2.0, 5.0, 16.0, 36.0, 190.0, 680.0],
    depths: &[0.01, 0.15, 0.4, 0.25, 0.15, 0.03, 0.01],
    names: [3.0, 5.0, 8.0, 12.0, 20.0, 33.0, 45.0, 58.0, 65.0],
    endings: &[".so.1", "", "", ".mo", ".conf", ".list", ".py", ".gz"],
    random: 0.18,
};

const MAILS: TreeShape = TreeShape {
    sizes: [700.0, 1100.0, 2300.0, 4100.0, 8200.0, 17_000.0, 30_000.0, 75_000.0, 250_000.0],
    per_directory: [1e9; AT.len()],
    depths: &[1.0],
    names: [18.0, 18.0, 19.0, 20.0, 21.0, 22.0, 22.0, 23.0, 24.0],
    endings: &[":2,S", ":2,S", ":2,RS", ":2,"],
    random: 0.2,
};

const DOCUMENTS: TreeShape = TreeShape {
    sizes: [90.0, 300.0, 1500.0, 8000.0, 60_000.0, 400_000.0, 1_000_000.0, 3_000_000.0, 8_000_000.0],
    per_directory: [1.0, 1.0, 2.0, 5.0, 12.0, 28.0, 45.0, 120.0, 300.0],
    depths: &[0.05, 0.2, 0.3, 0.25, 0.15, 0.05],
    names: [3.0, 4.0, 8.0, 12.0, 19.0, 28.0, 36.0, 52.0, 70.0],
    endings: &[".jpg", ".jpg", ".pdf", ".docx", ".odt", ".txt", ".html", ".png"],
    random: 0.7,
};

impl Like {
    fn shape(self) -> &'static TreeShape {
        match self {
            Self::Sources => &SOURCES,
            Self::Packages => &PACKAGES,
            Self::System => &SYSTEM,
            Self::Mails => &MAILS,
            Self::Documents => &DOCUMENTS,
        }
    }
}

/// The value of a distribution at a share of 0 to 1: straight lines between the logarithms of the quantiles.
fn at(quantiles: &Quantiles, share: f64) -> f64 {
    let share = share.clamp(AT[0], AT[AT.len() - 1]);
    let above = AT.iter().position(|at| *at >= share).unwrap_or(AT.len() - 1).max(1);
    let (low, high) = (quantiles[above - 1].ln(), quantiles[above].ln());
    let part = (share - AT[above - 1]) / (AT[above] - AT[above - 1]);
    (low + (high - low) * part).exp()
}

impl Tree {
    /// Makes the tree in the empty directory `root`. The same seed always gives the same tree, except for its times.
    pub fn make(&self, root: &Path, seed: u64, stop: &AtomicBool) -> io::Result<()> {
        let (shape, mut random) = (self.like.shape(), generator(seed, "tree", &[self.variant]));
        // One size from each of equal parts of the distribution, so that trees of different seeds have equal sizes.
        let share = |index| (f64::from(index) + 0.5) / f64::from(self.files);
        let mut sizes: Vec<usize> = (0..self.files).map(|index| at(&shape.sizes, share(index)) as usize).collect();
        sizes.shuffle(&mut random);
        let (mut folders, text) = (TreeFolders(vec![vec![root.to_owned()]]), Text::new(shape.random));
        let (mut folder, mut left, mut buffer) = (root.to_owned(), 0, Vec::new());
        for (index, size) in sizes.into_iter().enumerate() {
            if left == 0 {
                go_on(stop)?;
                folder = folders.another(shape.depths, &mut random)?;
                // Few files would otherwise be mostly in one of the rare large directories.
                let most = (self.files / 20).max(1);
                left = (at(&shape.per_directory, random.random()) as u32).min(most);
            }
            let ending = shape.endings[random.random_range(0..shape.endings.len())];
            let name = format!("{}{index:x}{ending}", word(at(&shape.names, random.random()) as usize, &mut random));
            text.fill(&mut buffer, size, &mut random);
            fs::write(folder.join(name), &buffer)?;
            left -= 1;
        }
        Ok(())
    }
}

struct TreeFolders(Vec<Vec<PathBuf>>);

impl TreeFolders {
    /// A directory at a random depth, in which the next files are made: the root, or a new one.
    fn another(&mut self, depths: &[f64], random: &mut Pcg64Mcg) -> io::Result<PathBuf> {
        let mut draw: f64 = random.random::<f64>() * depths.iter().sum::<f64>();
        let depth = depths.iter().position(|share| {
            draw -= share;
            draw < 0.0
        });
        let mut folder = self.0[0][0].clone();
        for level in 1..=depth.unwrap_or(0) {
            if self.0.len() == level {
                self.0.push(Vec::new());
            }
            let siblings = &mut self.0[level];
            let is_last = level == depth.unwrap_or(0);
            // Above the last level an existing directory is as good as a new one; a new one is made if there is none.
            let inside: Vec<&PathBuf> = siblings.iter().filter(|other| other.parent() == Some(&folder)).collect();
            folder = match inside.len() {
                count if count > 0 && !is_last => inside[random.random_range(0..count)].clone(),
                count => {
                    let new = folder.join(format!("{}{count:x}", word(7, random)));
                    fs::create_dir(&new)?;
                    siblings.push(new.clone());
                    new
                }
            };
        }
        Ok(folder)
    }
}

/// A word of `length` letters, at least one.
fn word(length: usize, random: &mut Pcg64Mcg) -> String {
    const LETTERS: [&[u8]; 2] = [b"bcdfghklmnprstvw", b"aeiou"];
    let letter = |index: usize, random: &mut Pcg64Mcg| {
        let letters = LETTERS[index % 2];
        char::from(letters[random.random_range(0..letters.len())])
    };
    (0..length.max(1)).map(|index| letter(index, random)).collect()
}

/// Number of different words of a text.
const WORDS: usize = 4096;

/// Words between two repeated pieces of a text, at most; and bytes of a repeated piece, at most.
const FRESH: usize = 14;
const REPEATED: usize = 150;

/// Makes contents: text of words that are as unequally frequent as those of a language, in which pieces are repeated;
/// and random bytes.
struct Text {
    words: Vec<String>,
    random: f64,
}

impl Text {
    fn new(random: f64) -> Self {
        // The same words in all trees, as in all programs of a language.
        let mut generator = generator(0, "words", &[]);
        let words = (0..WORDS).map(|index| word(2 + (index.max(1).ilog2() as usize + index % 5) / 2, &mut generator));
        Self { words: words.collect(), random }
    }

    /// Replaces `buffer` by `size` bytes: text, then random bytes.
    fn fill(&self, buffer: &mut Vec<u8>, size: usize, random: &mut Pcg64Mcg) {
        buffer.clear();
        let text = size - (size as f64 * self.random) as usize;
        while buffer.len() < text {
            for _ in 0..random.random_range(1..FRESH) {
                // Zipf's law: the logarithm of a word's rank is uniform.
                let rank = (WORDS as f64).powf(random.random::<f64>()) as usize - 1;
                buffer.extend_from_slice(self.words[rank.min(WORDS - 1)].as_bytes());
                buffer.push(if random.random_range(0..9) == 0 { b'\n' } else { b' ' });
            }
            let length = random.random_range(0..=REPEATED).min(buffer.len());
            let from = random.random_range(0..=buffer.len() - length);
            buffer.extend_from_within(from..from + length);
        }
        buffer.resize(size, 0);
        random.fill_bytes(&mut buffer[text..]);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::io::Write;
    use std::process::{Command, Stdio};

    use fsarena_engine::NEVER;

    use super::*;

    const ALL: [Like; 5] = [Like::Sources, Like::Packages, Like::System, Like::Mails, Like::Documents];

    /// The contents of all files, by path.
    fn made(tree: &Tree, seed: u64) -> BTreeMap<PathBuf, Vec<u8>> {
        let root = tempfile::tempdir().expect("temporary folder");
        tree.make(root.path(), seed, &NEVER).expect("made");
        let (mut found, mut folders) = (BTreeMap::new(), vec![root.path().to_owned()]);
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).expect("readable") {
                let path = entry.expect("readable").path();
                match path.is_dir() {
                    true => folders.push(path),
                    false => {
                        let name = path.strip_prefix(root.path()).expect("below").to_owned();
                        found.insert(name, fs::read(&path).expect("readable"));
                    }
                }
            }
        }
        found
    }

    #[test]
    fn a_tree_follows_from_the_seed_and_the_variant() {
        let tree = Tree { like: Like::Packages, files: 60, variant: 0 };
        assert_eq!(made(&tree, 7).len(), 60);
        assert_eq!(made(&tree, 7), made(&tree, 7));
        assert_ne!(made(&tree, 7), made(&tree, 8));
        assert_ne!(made(&tree, 7), made(&Tree { variant: 1, ..tree }, 7));
    }

    /// The medians and means of the trees that were measured; of a mailbox and of documents those of the sources.
    #[test]
    fn sizes_are_those_of_real_trees() {
        let of = |like| {
            let mut sizes: Vec<usize> =
                made(&Tree { like, files: 1000, variant: 0 }, 3).values().map(Vec::len).collect();
            sizes.sort_unstable();
            (sizes[500], sizes.iter().sum::<usize>() / 1000)
        };
        for (like, median, mean) in [(Like::Sources, 3874, 16_527), (Like::Packages, 1936, 6626)] {
            let found = of(like);
            assert!((found.0 as f64 / median as f64 - 1.0).abs() < 0.05, "{like:?}: {found:?}");
            assert!((found.1 as f64 / mean as f64 - 1.0).abs() < 0.35, "{like:?}: {found:?}");
        }
        assert_eq!(of(Like::Sources), of(Like::Sources));
    }

    #[test]
    fn most_files_are_as_deep_as_in_real_trees() {
        let paths = made(&Tree { like: Like::Sources, files: 2000, variant: 0 }, 1);
        let share = |depths: std::ops::RangeInclusive<usize>| {
            paths.keys().filter(|path| depths.contains(&(path.components().count() - 1))).count() as f64 / 2000.0
        };
        assert!((0.6..0.9).contains(&share(2..=4)), "{}", share(2..=4));
        assert!(share(0..=0) < 0.05);
        let mails = made(&Tree { like: Like::Mails, files: 50, variant: 0 }, 1);
        assert!(mails.keys().all(|path| path.components().count() == 1));
    }

    #[test]
    fn contents_compress_as_those_of_real_trees() {
        for (like, ratio) in ALL.into_iter().zip([4.21, 3.3, 2.6, 2.5, 1.3]) {
            let contents = made(&Tree { like, files: 300, variant: 0 }, 5);
            let found = contents.values().map(Vec::len).sum::<usize>() as f64
                / contents.values().map(|content| compressed(content)).sum::<usize>() as f64;
            assert!((found / ratio - 1.0).abs() < 0.2, "{like:?}: {found:.2}, not {ratio}");
        }
    }

    /// The bytes that gzip(1) makes of it.
    fn compressed(content: &[u8]) -> usize {
        let mut gzip =
            Command::new("gzip").arg("-c").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("gzip");
        let mut input = gzip.stdin.take().expect("piped");
        let content = content.to_owned();
        let writer = std::thread::spawn(move || input.write_all(&content).expect("written"));
        let output = gzip.wait_with_output().expect("ended").stdout.len();
        writer.join().expect("written");
        output
    }
}
