//! Hostile texts for tests of parsers: valid ones with random changes, the same each time.
//!
//! A target is an ordinary test that calls [`texts`]. Within `cargo test` it takes a moment. To let it run longer:
//! `PROPTEST_CASES=1000000 PROPTEST_RNG_SEED=7 cargo test -p CRATE fuzz::NAME`. If it hangs, `PROPTEST_VERBOSE=2` shows
//! with which text.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::{RngSeed, TestRunner};

/// Fewest texts of a target.
const TEXTS: u32 = 2000;
/// The longest text in bytes.
const LONGEST: usize = 256 << 10;

/// Texts that programs and people write where something else is expected.
#[rustfmt::skip]
const EVIL: &[&str] = &[
    "0", "-1", "1", "4000000000", "4294967296", "9223372036854775807", "18446744073709551615", "1e18", "1e308", "-1e308",
    "nan", "inf", "0.0000001", "16E", "16777216T", "18446744073709551615K", "100%", "-0", "true", "[]", "{}", "''", "\"\"",
    "null", "\0", "\u{1b}[31m", "\u{1b}]0;x\u{7}", "\u{202e}", "\u{feff}", "ü", "🗄", "\r\n", "\n\n", "\t", "=", ":", ",",
    "/", "../", "/tmp/victim", "..", ".", "%s", "$(touch x)", "`", "\\", "\"", "'", "[[", "]]", "{{", "#", ";", "-", "--",
];

/// Calls `check` with the `good` texts, and then with thousands of texts that are made from them.
///
/// # Panics
/// If `check` does: with the shortest list of changes that makes it panic.
pub fn texts(good: &[&str], check: impl Fn(&str)) {
    good.iter().for_each(|text| check(text));
    let usual = ProptestConfig::default();
    let rng_seed = if usual.rng_seed == RngSeed::Random { RngSeed::Fixed(0) } else { usual.rng_seed };
    let cases = usual.cases.max(TEXTS);
    let config = ProptestConfig { cases, rng_seed, failure_persistence: None, max_shrink_iters: 500, ..usual };
    let found = TestRunner::new(config).run(&hostile(good), |text| {
        check(&text);
        Ok(())
    });
    found.unwrap_or_else(|error| panic!("{error}"));
}

/// One of the good texts, changed in up to eight places.
fn hostile(good: &[&str]) -> impl Strategy<Value = String> {
    let good: Vec<String> = good.iter().map(|text| (*text).to_owned()).collect();
    (select(good.clone()), vec(change(good), 1..=8)).prop_map(|(text, changes)| {
        changes.iter().fold(text, |text, change| {
            let mut text = change.apply(&text);
            text.truncate(text.floor_char_boundary(LONGEST));
            text
        })
    })
}

/// A change of a text.
#[derive(Debug, Clone)]
struct TextChange {
    act: u8,
    at: Index,
    /// Length of what is replaced: mostly short.
    length: usize,
    /// Another good text, and a place in it.
    other: String,
    from: Index,
    evil: &'static str,
    sign: char,
    times: usize,
}

fn change(good: Vec<String>) -> impl Strategy<Value = TextChange> {
    let length = prop_oneof![4 => 0..=20_usize, 1 => 0..=LONGEST];
    let place = (0..12_u8, any::<Index>(), length);
    (place, select(good), any::<Index>(), select(EVIL), any::<char>(), 1..5000_usize).prop_map(
        |((act, at, length), other, from, evil, sign, times)| TextChange {
            act,
            at,
            length,
            other,
            from,
            evil,
            sign,
            times,
        },
    )
}

impl TextChange {
    fn apply(&self, text: &str) -> String {
        let Self { act, at, length, other, from, evil, sign, times } = self;
        let (from_here, to_here) = range(text, *at, *length);
        let (before, taken, after) = (&text[..from_here], &text[from_here..to_here], &text[to_here..]);
        match act {
            0 => format!("{before}{after}"),
            1 => format!("{before}{evil}{after}"),
            2 => format!("{before}{evil}{taken}{after}"),
            3 => format!("{before}{taken}{taken}{after}"),
            4 => format!("{before}{}", evil.repeat(*times)),
            5 => {
                let (start, end) = range(other, *from, *length);
                format!("{before}{}{after}", &other[start..end])
            }
            6 => before.to_owned(),
            7 => with_another_line(text, *at, other, *from),
            8 => format!("{before}{sign}{after}"),
            9 => with_another_word(text, *at, word(other, *from).map_or("", |(start, end)| &other[start..end])),
            _ => with_another_word(text, *at, evil),
        }
    }
}

fn range(text: &str, at: Index, length: usize) -> (usize, usize) {
    let from = text.floor_char_boundary(at.index(text.len() + 1));
    (from, text.floor_char_boundary((from + length).min(text.len())).max(from))
}

/// Start and end of one of the words: what most formats accept as one.
fn word(text: &str, which: Index) -> Option<(usize, usize)> {
    let is_word = |sign: char| sign.is_alphanumeric() || "._-+%/".contains(sign);
    let starts = |(at, sign): (usize, char)| (is_word(sign) && !text[..at].ends_with(is_word)).then_some(at);
    let starts: Vec<usize> = text.char_indices().filter_map(starts).collect();
    let start = (!starts.is_empty()).then(|| *which.get(&starts))?;
    Some((start, start + text[start..].find(|sign| !is_word(sign)).unwrap_or(text.len() - start)))
}

fn with_another_word(text: &str, which: Index, new: &str) -> String {
    let (from, to) = word(text, which).unwrap_or((0, text.len()));
    format!("{}{new}{}", &text[..from], &text[to..])
}

/// Inserts a line of another text, which may repeat a line.
fn with_another_line(text: &str, at: Index, other: &str, which: Index) -> String {
    let (mut lines, others): (Vec<&str>, Vec<&str>) = (text.lines().collect(), other.lines().collect());
    if !others.is_empty() {
        lines.insert(at.index(lines.len() + 1), others[which.index(others.len())]);
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::collections::BTreeSet;
    use std::panic::{AssertUnwindSafe, catch_unwind};

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
        assert_eq!(one.len(), 2 + TEXTS as usize);
        let distinct: BTreeSet<&String> = one.iter().collect();
        assert!(distinct.len() > one.len() * 9 / 10, "{}", distinct.len());
        assert!(one.iter().any(|text| text.contains("threads = 4000000000")), "numbers are replaced");
    }

    #[test]
    fn a_text_that_lets_a_check_panic_ends_the_target() {
        let panics = || texts(&["a"], |text| assert!(!text.contains("16E"), "found"));
        let panic = catch_unwind(AssertUnwindSafe(panics)).expect_err("it does");
        assert!(panic.downcast_ref::<String>().is_some_and(|words| words.contains("16E")), "the text is named");
    }
}
