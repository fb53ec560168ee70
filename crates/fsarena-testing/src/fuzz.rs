//! Hostile texts for tests of parsers: valid ones with random changes, the same for the same seed.
//!
//! A target is an ordinary test that calls [`texts`]. Within `cargo test` it takes a moment. To let it run longer:
//! `FSARENA_FUZZ_SECONDS=600 cargo test -p CRATE fuzz::NAME`.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Number of texts of a target if no time is given.
const TEXTS: u64 = 2000;
/// Time after which a parser of a text of at most [`LONGEST`] bytes counts as hanging. On a machine with other load, a
/// workload with 1,000 threads took more than a minute to open in a build for tests.
const PATIENCE: Duration = Duration::from_secs(600);
const LONGEST: usize = 256 << 10;
/// Memory limit of the process if a time is given: a parser that takes more has no bound.
const MEMORY: u64 = 4 << 30;

/// Texts that programs and people write where something else is expected.
const EVIL: &[&str] = &[
    "0",
    "-1",
    "1",
    "4000000000",
    "4294967296",
    "9223372036854775807",
    "18446744073709551615",
    "1e18",
    "1e308",
    "-1e308",
    "nan",
    "inf",
    "0.0000001",
    "16E",
    "16777216T",
    "18446744073709551615K",
    "100%",
    "-0",
    "true",
    "[]",
    "{}",
    "''",
    "\"\"",
    "null",
    "\0",
    "\u{1b}[31m",
    "\u{1b}]0;x\u{7}",
    "\u{202e}",
    "\u{feff}",
    "ü",
    "🗄",
    "\r\n",
    "\n\n",
    "\t",
    "=",
    ":",
    ",",
    "/",
    "../",
    "/tmp/victim",
    "..",
    ".",
    "%s",
    "$(touch x)",
    "`",
    "\\",
    "\"",
    "'",
    "[[",
    "]]",
    "{{",
    "#",
    ";",
    "-",
    "--",
];

/// Calls `check` with `TEXTS` texts, or with as many as fit into `FSARENA_FUZZ_SECONDS`. The first are `good`
/// themselves; the others are made from them.
///
/// # Panics
/// If `check` does: the text is printed before. A `check` that hangs ends the process.
pub fn texts(good: &[&str], check: impl Fn(&str)) {
    let time = std::env::var("FSARENA_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok()).map(Duration::from_secs);
    if time.is_some() {
        limit_memory();
    }
    let begin = Instant::now();
    let goes_on = |done: u64| time.map_or(done < TEXTS, |time| begin.elapsed() < time);
    let watch = Watch::default();
    std::thread::scope(|scope| {
        scope.spawn(|| watch.until_over());
        let mut seed = 0;
        while goes_on(seed) {
            let text = match good.get(seed as usize) {
                Some(text) => (*text).to_owned(),
                None => hostile(good, &mut Pcg64Mcg::seed_from_u64(seed)),
            };
            watch.begin(&text);
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| check(&text))) {
                eprintln!("text {seed}, which it fails on:\n{text:?}");
                watch.end();
                resume_unwind(panic);
            }
            seed += 1;
        }
        watch.end();
        if time.is_some() {
            eprintln!("{seed} texts in {} s", begin.elapsed().as_secs());
        }
    });
}

/// One of the good texts, changed in up to eight places.
fn hostile(good: &[&str], random: &mut Pcg64Mcg) -> String {
    let mut text = pick(good, random).to_owned();
    for _ in 0..random.random_range(1..=8) {
        text = changed(&text, good, random);
        let end = text.floor_char_boundary(LONGEST);
        text.truncate(end);
    }
    text
}

fn changed(text: &str, good: &[&str], random: &mut Pcg64Mcg) -> String {
    let other = pick(good, random);
    let evil = pick(EVIL, random);
    let (from, to) = range(text, random);
    let (before, after) = (&text[..from], &text[to..]);
    match random.random_range(0..12) {
        0 => format!("{before}{after}"),
        1 => format!("{before}{evil}{after}"),
        2 => format!("{before}{evil}{}", &text[from..]),
        3 => format!("{before}{}{}{after}", &text[from..to], &text[from..to]),
        4 => format!("{before}{}", evil.repeat(random.random_range(1..5000))),
        5 => {
            let (from, to) = range(other, random);
            format!("{before}{}{after}", &other[from..to])
        }
        6 => before.to_owned(),
        7 => with_another_line(text, other, random),
        8 => format!("{before}{}{after}", char::from_u32(random.next_u32() % 0x11_0000).unwrap_or('?')),
        _ => with_another_word(text, pick(&[evil, &word_of(other, random)], random), random),
    }
}

fn pick<'a>(from: &[&'a str], random: &mut Pcg64Mcg) -> &'a str {
    if from.is_empty() { "" } else { from[random.random_range(0..from.len())] }
}

/// A random range of the text, mostly a short one.
fn range(text: &str, random: &mut Pcg64Mcg) -> (usize, usize) {
    let from = text.floor_char_boundary(random.random_range(0..=text.len()));
    let most = if random.random_bool(0.8) { 20 } else { text.len() };
    let to = text.floor_char_boundary((from + random.random_range(0..=most)).min(text.len()));
    (from, to.max(from))
}

/// Start and end of each word: what most formats accept as one.
fn words(text: &str) -> Vec<(usize, usize)> {
    let is_word = |sign: char| sign.is_alphanumeric() || "._-+%/".contains(sign);
    let mut words = Vec::new();
    let mut start = None;
    for (at, sign) in text.char_indices().chain([(text.len(), ' ')]) {
        match (start, is_word(sign)) {
            (None, true) => start = Some(at),
            (Some(from), false) => {
                words.push((from, at));
                start = None;
            }
            _ => {}
        }
    }
    words
}

fn word_of(text: &str, random: &mut Pcg64Mcg) -> String {
    let words = words(text);
    if words.is_empty() {
        return String::new();
    }
    let (from, to) = words[random.random_range(0..words.len())];
    text[from..to].to_owned()
}

fn with_another_word(text: &str, word: &str, random: &mut Pcg64Mcg) -> String {
    let words = words(text);
    if words.is_empty() {
        return word.to_owned();
    }
    let (from, to) = words[random.random_range(0..words.len())];
    format!("{}{word}{}", &text[..from], &text[to..])
}

/// Inserts a line of another text, which may repeat a line.
fn with_another_line(text: &str, other: &str, random: &mut Pcg64Mcg) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    let others: Vec<&str> = other.lines().collect();
    if let Some(line) = others.get(random.random_range(0..=others.len())) {
        lines.insert(random.random_range(0..=lines.len()), line);
    }
    lines.join("\n")
}

fn limit_memory() {
    let limit = Rlimit { current: Some(MEMORY), ..getrlimit(Resource::As) };
    let _ = setrlimit(Resource::As, limit);
}

/// Ends the process when one text takes too long.
#[derive(Default)]
struct Watch {
    at: Mutex<Option<(Instant, String)>>,
    is_over: AtomicBool,
}

impl Watch {
    fn begin(&self, text: &str) {
        if let Ok(mut at) = self.at.lock() {
            *at = Some((Instant::now(), text.to_owned()));
        }
    }

    fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    fn until_over(&self) {
        while !self.is_over.load(Ordering::Relaxed) {
            if let Ok(Some((_, text))) = self.at.lock().as_deref().map(|at| at.as_ref().filter(is_late)) {
                eprintln!("it hangs with this text:\n{text:?}");
                std::process::abort();
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

fn is_late(at: &&(Instant, String)) -> bool {
    at.0.elapsed() > PATIENCE
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[test]
    fn texts_are_the_same_each_time_and_differ_from_each_other() {
        let made = || {
            let made = RefCell::new(Vec::new());
            texts(&["threads = 4\nsize = \"4K\"\n", "files = 100\n"], |text| made.borrow_mut().push(text.to_owned()));
            made.into_inner()
        };
        let (one, two) = (made(), made());
        assert_eq!(one, two);
        assert_eq!(one.len() as u64, TEXTS);
        let distinct: std::collections::BTreeSet<&String> = one.iter().collect();
        assert!(distinct.len() > one.len() * 9 / 10, "{}", distinct.len());
        assert!(one.iter().any(|text| text.contains("threads = 4000000000")), "numbers are replaced");
    }

    #[test]
    fn a_text_that_lets_a_check_panic_ends_the_target() {
        let panics = || texts(&["a"], |text| assert!(!text.contains("16E"), "found"));
        assert!(catch_unwind(panics).is_err());
    }
}
