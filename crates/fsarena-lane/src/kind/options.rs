//! Options of mkfs that a user may add, kind by kind ([`tables`]). Each changes what is made and so is a difference of
//! the contender, or is added to ours, or is refused: a file system must fill its lane, be empty, and be finished when
//! mkfs returns.

pub(crate) mod mounts;
mod tables;
#[cfg(test)]
mod tests;

use fsarena_model::Bytes;
use fsarena_model::name::nearest;

use self::OptionRule::{Block, BlockLog, Feature, Fixed, Label, Needs, OneOf, Ours, Record, Refused, Valued, Words};
pub(crate) use self::tables::*;
use crate::lane::BLOCK_SIZE;

/// What becomes of an option, or of a word in the list that is its value.
#[derive(Debug, Clone, Copy)]
pub(crate) enum OptionRule {
    /// It is passed on.
    Listed,
    /// It is passed on if it has a value.
    Valued,
    /// It is passed on if its value has at most this many bytes: some mkfs shorten a longer one, and exit with 0.
    Label(usize),
    /// It is passed on if its value is one of these, which are separated by spaces.
    OneOf(&'static str),
    /// It is passed on if its value is a size in bytes that is at least that of a lane's sector.
    Block,
    /// The same, as the logarithm to the base 2.
    BlockLog,
    /// It is passed on if its value is a power of two that a record of OpenZFS can have.
    Record,
    /// It is passed on unless mkfs leaves out this feature.
    Needs(&'static str),
    /// It is passed on, and names a feature as it is shown of what was made.
    Feature,
    /// Every contender of the kind has it already.
    Ours,
    /// Every contender of the kind has it with this value already; another one is refused for this reason.
    Fixed(&'static str, &'static str),
    /// It is refused for this reason.
    Refused(&'static str),
    /// Its value is a list; fsarena's list and those of all occurrences become one.
    Words(&'static OptionRules),
}

/// Rules with the names for which they hold, separated by spaces. An option of mkfs has its names, separated by `|`, with
/// `=` at the end if it has a value: `-q -d|--data=`. A word of a list is named by the whole word, what is before its
/// `=`, or how either begins, such as `feature_*`; empty: all others.
pub(crate) type OptionRules = [(&'static str, OptionRule)];

impl OptionRule {
    /// Why an option or a word with this value is refused; `lists` are the features that its mkfs is given.
    fn refusal(self, value: &str, lists: &[&str]) -> Option<String> {
        match self {
            Refused(why) => Some(why.to_owned()),
            Needs(feature) if is_left_out(feature, lists) => Some(format!("it needs the feature `{feature}`")),
            Fixed(wanted, why) if value != wanted => Some(why.to_owned()),
            Ours if !value.is_empty() => Some("it takes no value".to_owned()),
            Valued if value.is_empty() => Some("it needs a value, as in `NAME=VALUE`".to_owned()),
            Label(most) if value.len() > most => Some(format!("a label has at most {most} bytes")),
            OneOf(values) if !values.split(' ').any(|known| known == value) => {
                Some(format!("it is one of {}", values.replace(' ', ", ")))
            }
            Block => not_a_block(value),
            BlockLog => match decimal(value) {
                Some(log) if log < u64::from(BLOCK_SIZE.ilog2()) => Some(below_sector()),
                Some(..=MOST_LOG) => None,
                _ => Some(format!("it is a number from {} to {MOST_LOG}", BLOCK_SIZE.ilog2())),
            },
            Record if !is_record(value) => Some("it is a power of two from 512 to 16M".to_owned()),
            _ => None,
        }
    }
}

/// An option as typed, with its value.
struct Typed<'a> {
    /// The first of its names.
    name: &'static str,
    rule: OptionRule,
    value: Option<&'a str>,
}

/// The words of `ours` (a program and its options) with the `further` words of a user.
///
/// # Errors
/// Why further words are refused: all that are.
pub(crate) fn merged(known: &'static OptionRules, ours: &[String], further: &[String]) -> Result<Vec<String>, String> {
    let program = ours.first().map_or("", String::as_str);
    let (mut words, mut refusals) = (ours.to_vec(), Vec::new());
    let typed = typed(known, program, further)?;
    let of_features = typed.iter().filter(|option| option.name == FEATURES);
    let lists: Vec<&str> = of_features.filter_map(|option| option.value).collect();
    for Typed { name, rule, value } in typed {
        let shown = value.map_or(name.to_owned(), |value| format!("{name} {value}"));
        let empty = || (value == Some("") && !matches!(rule, Label(_))).then(|| "its value is empty".to_owned());
        if let Some(why) = rule.refusal(value.unwrap_or_default(), &lists).or_else(empty) {
            refusals.push(format!("`{}` of {program} is refused: {why}", shown.trim_end()));
            continue;
        }
        match rule {
            Ours | Fixed(..) => {}
            Words(rules) => {
                let mut refuse = |word: &str, why: &str| {
                    refusals.push(format!("`{word}` in `{shown}` of {program} is refused: {why}"));
                };
                let mut own = Vec::new();
                for word in value.unwrap_or_default().split(is_separator).filter(|word| !word.is_empty()) {
                    match is_passed(rules, word, &lists) {
                        Ok(is_passed) => own.extend(is_passed.then_some(word)),
                        Err(why) => refuse(word, &why),
                    }
                }
                let place = place_of(known, &words, name);
                if let Err((word, other)) = add(&mut words, place, name, &own) {
                    refuse(word, &format!("`{other}` contradicts it"));
                }
            }
            _ if place_of(known, &words, name).is_some() => {
                let how = if place_of(known, ours, name).is_some() { "set by fsarena itself" } else { "given twice" };
                refusals.push(format!("`{name}` of {program} is {how}"));
            }
            _ => words.extend(std::iter::once(name).chain(value).map(str::to_owned)),
        }
    }
    // mkfs would take a word that is neither an option nor a value as the device or its size.
    self::typed(known, program, &words[ours.len()..])?;
    if refusals.is_empty() { Ok(words) } else { Err(refusals.join("; ")) }
}

/// Which of a user's words for an mkfs have no effect on a file system with these `features`, and which feature each
/// needs; `None` of a feature that is there although it was left out, or is not although it was named.
pub(crate) fn without_effect(
    known: &'static OptionRules,
    further: &[String],
    features: &[String],
) -> Vec<(String, Option<&'static str>)> {
    let has = |feature: &str| features.iter().any(|found| found == feature);
    let lacking = |rule: OptionRule, word: &str| match rule {
        Needs(feature) => (!has(feature)).then_some(Some(feature)),
        Feature if is_reset(word) => None,
        Feature => (has(&shown(subject(word))) == word.starts_with(['^', '-'])).then_some(None),
        _ => None,
    };
    let of = |Typed { name, rule, value }: Typed<'_>| match (rule, value) {
        (Words(rules), Some(list)) => {
            let words = list.split(is_separator).filter(|word| !word.is_empty());
            let lacking =
                words.filter_map(|word| Some((format!("{name} {word}"), lacking(rule_of(rules, word)?, word)?)));
            lacking.collect::<Vec<_>>()
        }
        _ => lacking(rule, "").map(|feature| (name.to_owned(), feature)).into_iter().collect(),
    };
    typed(known, "", further).unwrap_or_default().into_iter().flat_map(of).collect()
}

/// Whether a word in a list of features leaves out all that is before it (e2p_edit_feature2 of e2fsprogs).
fn is_reset(word: &str) -> bool {
    ["none", "clear"].iter().any(|name| word.eq_ignore_ascii_case(name))
}

/// How dumpe2fs shows a feature: some have two names (lib/e2p/feature.c of e2fsprogs).
fn shown(feature: &str) -> String {
    match feature.to_ascii_lowercase().as_str() {
        "extents" => "extent".to_owned(),
        "uninit_groups" => "uninit_bg".to_owned(),
        other => other.to_owned(),
    }
}

/// Features of mke2fs may also be separated by spaces.
fn is_separator(letter: char) -> bool {
    letter == ',' || letter.is_whitespace()
}

/// The option with the features of a file system.
pub(crate) const FEATURES: &str = "-O";

/// Whether these lists of features leave one out, as `^has_journal` does. What is last counts.
fn is_left_out(feature: &str, lists: &[&str]) -> bool {
    let mut words = lists.iter().flat_map(|list| list.split(is_separator));
    let last = words.rfind(|word| is_reset(word) || subject(word).eq_ignore_ascii_case(feature));
    last.is_some_and(|word| is_reset(word) || word.starts_with(['^', '-']))
}

/// The same words with an option for each word of a list, for programs that take no lists.
pub(crate) fn one_by_one(words: &[String]) -> Vec<String> {
    let mut single: Vec<String> = Vec::new();
    for word in words {
        match single.pop_if(|option| option.starts_with('-') && word.contains('=')) {
            Some(option) => single.extend(word.split(',').flat_map(|piece| [option.clone(), piece.to_owned()])),
            None => single.push(word.clone()),
        }
    }
    single
}

/// Where a command has an option; a value that reads like it is none.
fn place_of(known: &OptionRules, words: &[String], name: &str) -> Option<usize> {
    let with_value = known.iter().flat_map(|(names, _)| names.split(' ')).filter_map(|names| names.strip_suffix('='));
    let has_value = |word: &str| with_value.clone().any(|names| names.split('|').any(|known| known == word));
    let mut place = 0;
    while words.get(place).is_some_and(|word| word != name) {
        place += 1 + usize::from(has_value(&words[place]));
    }
    (place < words.len()).then_some(place)
}

/// Adds words to the list of an option at `place`, or the option with this list. Fails with a word and the one that
/// contradicts it.
fn add<'a>(
    words: &mut Vec<String>,
    place: Option<usize>,
    name: &str,
    own: &[&'a str],
) -> Result<(), (&'a str, String)> {
    let mut list: Vec<String> =
        place.map_or(Vec::new(), |place| words[place + 1].split(',').map(str::to_owned).collect());
    for word in own {
        // mke2fs takes `stripe-width` for `stripe_width`.
        let about = |word: &str| subject(word).to_ascii_lowercase().replace('-', "_");
        match list.iter().find(|other| about(other) == about(word)) {
            Some(other) if other != word => return Err((word, other.clone())),
            Some(_) => {}
            None => list.push((*word).to_owned()),
        }
    }
    match place {
        _ if list.is_empty() => {}
        Some(place) => words[place + 1] = list.join(","),
        None => words.extend([name.to_owned(), list.join(",")]),
    }
    Ok(())
}

/// What a word of a list is about: `stride` of `stride=16`, `has_journal` of `^has_journal`.
fn subject(word: &str) -> &str {
    word.split_once('=').map_or(word, |(name, _)| name).trim_start_matches(['^', '-', '+'])
}

/// The value of `name=value`; empty: none.
fn value_of(word: &str) -> &str {
    word.split_once('=').map_or("", |(_, value)| value)
}

fn rule_of(rules: &OptionRules, word: &str) -> Option<OptionRule> {
    let is_of = |name: &str, wanted: &str| {
        name == wanted || name.strip_suffix('*').is_some_and(|start| wanted.starts_with(start))
    };
    let find = |wanted: &str| rules.iter().find(|(names, _)| names.split(' ').any(|name| is_of(name, wanted)));
    let (name, lower) = (subject(word), subject(word).to_ascii_lowercase());
    [word, name, &lower, ""].into_iter().find_map(find).map(|(_, rule)| *rule)
}

/// Whether a word of a list is passed on, or why it is refused. It is not if every contender has it.
fn is_passed(rules: &OptionRules, word: &str, lists: &[&str]) -> Result<bool, String> {
    let Some(rule) = rule_of(rules, word) else {
        let passed = rules.iter().filter(|(_, rule)| !matches!(rule, Ours | Fixed(..) | Refused(_)));
        let names: Vec<&str> = passed.flat_map(|(names, _)| names.split(' ')).collect();
        let meant = nearest(subject(word), names.iter().copied());
        let meant = meant.map_or(String::new(), |name| format!("; did you mean `{name}`?"));
        return Err(format!("it is not known; known are {}{meant}", names.join(", ")));
    };
    rule.refusal(value_of(word), lists).map_or(Ok(!matches!(rule, Ours | Fixed(..))), Err)
}

/// The largest logarithm of a block's size that a file system has.
const MOST_LOG: u64 = 16;

/// A number as it is written in decimal: tools read others as hexadecimal, octal or negative ones.
fn decimal(digits: &str) -> Option<u64> {
    let is_plain = !digits.starts_with('0') && digits.bytes().all(|digit| digit.is_ascii_digit());
    digits.parse().ok().filter(|_| is_plain)
}

/// Why a text is no size such as `4096` or `4k`, or less than a lane's sector. mkfs itself refuses what else is wrong.
fn not_a_block(size: &str) -> Option<String> {
    let (digits, unit) = size.split_at(size.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(size.len()));
    let bytes = if unit.eq_ignore_ascii_case("k") { 1024 } else { u64::from(unit.is_empty()) };
    match decimal(digits) {
        Some(_) if !unit.bytes().all(|letter| letter.is_ascii_alphabetic()) => Some(NO_SIZE.to_owned()),
        Some(number) => (bytes > 0 && number.saturating_mul(bytes) < u64::from(BLOCK_SIZE)).then(below_sector),
        None => Some(NO_SIZE.to_owned()),
    }
}

const NO_SIZE: &str = "a size has decimal digits, and a unit if need be";

fn is_record(size: &str) -> bool {
    size.parse().is_ok_and(|Bytes(size)| size.is_power_of_two() && (512..=16 << 20).contains(&size))
}

fn below_sector() -> String {
    format!("a lane's sectors have {BLOCK_SIZE} bytes, and no block is smaller than a sector")
}

/// Reads words as getopt(3) does: values follow their option or are attached, flags of one letter may be joined.
fn typed<'a>(known: &'static OptionRules, program: &str, further: &'a [String]) -> Result<Vec<Typed<'a>>, String> {
    let find = |wanted: &str| {
        let all = known.iter().flat_map(|(names, rule)| names.split(' ').map(move |names| (names, *rule)));
        let mut all = all.map(|(names, rule)| (names.trim_end_matches('='), names.ends_with('='), rule));
        let hint = if wanted == "-o" { format!("; {COLON}") } else { String::new() };
        let unknown = || format!("`{wanted}` is no option of {program} that fsarena knows{hint}");
        let found = all.find(|(names, ..)| names.split('|').any(|name| name == wanted));
        let (names, has_value, rule) = found.ok_or_else(unknown)?;
        Ok::<_, String>((names.split('|').next().unwrap_or(names), has_value, rule))
    };
    let mut words = further.iter().map(String::as_str);
    let mut typed = Vec::new();
    while let Some(word) = words.next() {
        let mut next = |name: &str| words.next().ok_or_else(|| format!("`{name}` of {program} needs a value"));
        if let Some(long) = word.strip_prefix("--").filter(|long| !long.is_empty()) {
            let (name, attached) = long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
            let typed_name = format!("--{name}");
            let (name, has_value, rule) = find(&typed_name)?;
            let value = match (has_value, attached) {
                (false, None) => None,
                (false, Some(_)) => return Err(format!("`{typed_name}` of {program} takes no value")),
                (true, Some(value)) => Some(value),
                (true, None) => Some(next(&typed_name)?),
            };
            typed.push(Typed { name, rule, value });
            continue;
        }
        let Some(letters) = word.strip_prefix('-').filter(|letters| !letters.is_empty()) else {
            return Err(format!("`{word}` is no option of {program}; {SIZE}"));
        };
        for (place, letter) in letters.char_indices() {
            let (name, has_value, rule) = find(&format!("-{letter}"))?;
            if !has_value {
                typed.push(Typed { name, rule, value: None });
                continue;
            }
            let rest = &letters[place + letter.len_utf8()..];
            let value = if rest.is_empty() { next(&format!("-{letter}"))? } else { rest };
            typed.push(Typed { name, rule, value: Some(value) });
            break;
        }
    }
    Ok(typed)
}
