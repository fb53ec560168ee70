//! Options of mkfs that a user may add, kind by kind ([`tables`]). Each changes what is made and so is a difference of
//! the contender, or is added to ours, or is refused: a file system must fill its lane, be empty, and be finished when
//! mkfs returns.

mod tables;

use self::OptionRule::{Block, BlockLog, Label, Ours, Refused, Words};
pub(crate) use self::tables::*;
use crate::lane::BLOCK_SIZE;

/// Options of an mkfs for which the same rule holds.
#[derive(Debug)]
pub(crate) struct MkfsOptions {
    /// Options are separated by spaces, and the names of one of them by `|`: `-d|--data -m|--metadata`.
    names: &'static str,
    takes: Takes,
    rule: OptionRule,
}

/// Whether an option has a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Takes {
    Nothing,
    Value,
}

/// What becomes of an option, or of a word in the list that is its value.
#[derive(Debug, Clone, Copy)]
enum OptionRule {
    /// It is passed on.
    Listed,
    /// It is passed on if its value has at most this many bytes: some mkfs shorten a longer one, and exit with 0.
    Label(usize),
    /// It is passed on if its value is a size in bytes that is at least that of a lane's sector.
    Block,
    /// The same, as the logarithm to the base 2.
    BlockLog,
    /// It must have this value, which every contender of the kind has already; empty: none.
    Ours(&'static str),
    /// It is refused for this reason.
    Refused(&'static str),
    /// Its value is a list; fsarena's list and those of all occurrences become one.
    Words(&'static ListRules),
}

/// Rules for the words of a list, by their names before `=`, separated by spaces; empty: all others.
type ListRules = [(&'static str, OptionRule)];

const fn flags(names: &'static str, rule: OptionRule) -> MkfsOptions {
    MkfsOptions { names, takes: Takes::Nothing, rule }
}

const fn values(names: &'static str, rule: OptionRule) -> MkfsOptions {
    MkfsOptions { names, takes: Takes::Value, rule }
}

impl OptionRule {
    /// Why an option or a word with this value is refused.
    fn refusal(self, value: &str) -> Option<String> {
        match self {
            Refused(why) => Some(why.to_owned()),
            Label(most) if value.len() > most => Some(format!("a label has at most {most} bytes")),
            Block if is_below_sector(value) => Some(below_sector()),
            BlockLog if value.parse().is_ok_and(|log: u32| log < BLOCK_SIZE.ilog2()) => Some(below_sector()),
            Ours(wanted) if value != wanted => Some(LATER.to_owned()),
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
/// Why the further words are refused.
pub(crate) fn merged(
    known: &'static [MkfsOptions],
    ours: &[String],
    further: &[String],
) -> Result<Vec<String>, String> {
    let program = ours.first().map_or("", String::as_str);
    let mut words = ours.to_vec();
    for Typed { name, rule, value } in typed(known, program, further)? {
        let shown = value.map_or(name.to_owned(), |value| format!("{name} {value}"));
        if let Some(why) = rule.refusal(value.unwrap_or_default()) {
            return Err(format!("`{shown}` of {program} is refused: {why}"));
        }
        match rule {
            Ours(_) => {}
            Words(rules) => {
                let own = listed(rules, value.unwrap_or_default())
                    .map_err(|(word, why)| format!("`{word}` in `{shown}` of {program} is refused: {why}"))?;
                add(&mut words, name, &own).map_err(|word| {
                    format!("`{word}` in `{shown}` of {program} is refused: another word contradicts it")
                })?;
            }
            _ if words.iter().any(|word| word == name) => {
                return Err(format!("`{name}` of {program} is given twice, or by fsarena itself"));
            }
            _ => words.extend([name].into_iter().chain(value).map(str::to_owned)),
        }
    }
    Ok(words)
}

/// The same words with an option for each word of a list, for programs that take no lists.
pub(crate) fn one_by_one(words: &[String]) -> Vec<String> {
    let mut option = "";
    let words = words.iter().flat_map(|word| {
        let before = std::mem::replace(&mut option, word);
        let is_list = before.starts_with('-') && word.contains('=');
        let pieces: Vec<&str> = if is_list { word.split(',').collect() } else { vec![word] };
        let again = std::iter::once(None).chain(std::iter::repeat(Some(before)));
        pieces.into_iter().zip(again).flat_map(|(piece, option)| option.into_iter().chain([piece]).map(str::to_owned))
    });
    words.collect()
}

/// Adds words to the list of an option, or the option with this list. Fails with a word that contradicts another one.
fn add<'a>(words: &mut Vec<String>, name: &str, own: &[&'a str]) -> Result<(), &'a str> {
    let place = words.iter().position(|word| word == name);
    let mut list: Vec<String> =
        place.map_or(Vec::new(), |place| words[place + 1].split(',').map(str::to_owned).collect());
    for word in own {
        match list.iter().find(|other| subject(other) == subject(word)) {
            Some(other) if other != word => return Err(word),
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
    word.split_once('=').map_or(word, |(name, _)| name).trim_start_matches('^')
}

/// The words of a list that are passed on, or the first one that is refused, with the reason.
fn listed<'a>(rules: &ListRules, list: &'a str) -> Result<Vec<&'a str>, (&'a str, String)> {
    let mut kept = Vec::new();
    for word in list.split(',').filter(|word| !word.is_empty()) {
        let (name, value) = (subject(word), word.split_once('=').map_or("", |(_, value)| value));
        let find = |wanted: &str| rules.iter().find(|(names, _)| names.split(' ').any(|name| name == wanted));
        let Some((_, rule)) = find(name).or_else(|| find("")) else {
            let passed = rules.iter().filter(|(_, rule)| !matches!(rule, Ours(_) | Refused(_)));
            let names: Vec<&str> = passed.flat_map(|(names, _)| names.split(' ')).collect();
            return Err((word, format!("it is not known; known are {}", names.join(", "))));
        };
        match rule.refusal(value) {
            Some(why) => return Err((word, why)),
            None if matches!(rule, Ours(_)) => {}
            None => kept.push(word),
        }
    }
    Ok(kept)
}

/// Whether a size such as `1024` or `1k` is less than a lane's sector. mkfs itself refuses what is no size.
fn is_below_sector(size: &str) -> bool {
    let (digits, unit) = size.split_at(size.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(size.len()));
    let unit = if unit.eq_ignore_ascii_case("k") { 1024 } else { u64::from(unit.is_empty()) };
    digits.parse::<u64>().is_ok_and(|number| unit > 0 && number.saturating_mul(unit) < u64::from(BLOCK_SIZE))
}

fn below_sector() -> String {
    format!("a lane's sectors have {BLOCK_SIZE} bytes, and no block is smaller than a sector")
}

/// Reads words as getopt(3) does: values follow their option or are attached, flags of one letter may be joined.
fn typed<'a>(known: &'static [MkfsOptions], program: &str, further: &'a [String]) -> Result<Vec<Typed<'a>>, String> {
    let find = |wanted: &str| {
        let all = known.iter().flat_map(|group| group.names.split(' ').map(move |names| (names, group)));
        let found = all.into_iter().find(|(names, _)| names.split('|').any(|name| name == wanted));
        let (names, group) = found.ok_or_else(|| format!("`{wanted}` is no option of {program} that fsarena knows"))?;
        Ok::<_, String>((names.split('|').next().unwrap_or(names), group))
    };
    let mut words = further.iter().map(String::as_str);
    let mut typed = Vec::new();
    while let Some(word) = words.next() {
        let mut next = |name: &str| words.next().ok_or_else(|| format!("`{name}` of {program} needs a value"));
        if let Some(long) = word.strip_prefix("--").filter(|long| !long.is_empty()) {
            let (name, attached) = long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
            let typed_name = format!("--{name}");
            let (name, MkfsOptions { takes, rule, .. }) = find(&typed_name)?;
            let value = match (takes, attached) {
                (Takes::Nothing, None) => None,
                (Takes::Nothing, Some(_)) => return Err(format!("`{typed_name}` of {program} takes no value")),
                (Takes::Value, Some(value)) => Some(value),
                (Takes::Value, None) => Some(next(&typed_name)?),
            };
            typed.push(Typed { name, rule: *rule, value });
            continue;
        }
        let Some(letters) = word.strip_prefix('-').filter(|letters| !letters.is_empty()) else {
            return Err(format!("`{word}` is no option of {program}; {SIZE}"));
        };
        for (place, letter) in letters.char_indices() {
            let (name, MkfsOptions { takes, rule, .. }) = find(&format!("-{letter}"))?;
            if *takes == Takes::Nothing {
                typed.push(Typed { name, rule: *rule, value: None });
                continue;
            }
            let rest = &letters[place + letter.len_utf8()..];
            let value = if rest.is_empty() { next(&format!("-{letter}"))? } else { rest };
            typed.push(Typed { name, rule: *rule, value: Some(value) });
            break;
        }
    }
    Ok(typed)
}

#[cfg(test)]
mod tests {
    use super::OptionRule::Listed;
    use super::*;

    const OURS: &[&str] = &["mke2fs", "-q", "-E", "lazy_itable_init=0,nodiscard,hash_seed=h"];

    fn with(known: &'static [MkfsOptions], ours: &[&str], further: &[&str]) -> Result<String, String> {
        let [ours, further] = [ours, further].map(|words| words.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>());
        merged(known, &ours, &further).map(|words| words.join(" "))
    }

    fn ext(further: &[&str]) -> Result<String, String> {
        with(MKE2FS, OURS, further)
    }

    #[test]
    fn extended_options_are_added_to_ours_however_often_they_are_typed() {
        let wanted =
            "mke2fs -q -E lazy_itable_init=0,nodiscard,hash_seed=h,stride=16,stripe_width=32 -O ^has_journal,dir_index";
        assert_eq!(
            ext(&["-E", "stride=16", "-O", "^has_journal", "-Estripe_width=32,nodiscard", "-O", "dir_index"])
                .as_deref(),
            Ok(wanted)
        );
    }

    #[test]
    fn what_would_break_equal_conditions_is_refused_with_the_reason() {
        let refused = [
            (&["-E", "lazy_itable_init=1"][..], "`lazy_itable_init=1` in `-E lazy_itable_init=1` of mke2fs is refused"),
            (&["-E", "discard"], "no contender discards"),
            (&["-E", "hash_seed=x"], "it follows from the seed"),
            (&["-U", "random"], "`-U random` of mke2fs is refused: it follows from the seed"),
            (&["-z", "/tmp/undo"], "it uses a device or a file"),
            (&["-d/etc"], "each contender begins empty"),
            (&["-qn"], "it makes nothing"),
            (&["-J", "size=4,device=x"], "it uses a device or a file"),
            (&["-E", "strid=4"], "it is not known; known are encoding,"),
            (&["-m", "1", "-m", "2"], "`-m` of mke2fs is given twice"),
            (
                &["-E", "stride=16", "-E", "stride=32"],
                "`stride=32` in `-E stride=32` of mke2fs is refused: another word",
            ),
            (&["-O", "has_journal,^has_journal"], "another word contradicts it"),
            (&["-L"], "`-L` of mke2fs needs a value"),
            (&["-Lseventeen-letters"], "a label has at most 16 bytes"),
            (&["-b", "1024"], "`-b 1024` of mke2fs is refused: a lane's sectors have 4096 bytes"),
            (&["-b2k"], "a lane's sectors have 4096 bytes"),
            (&["500M"], "`500M` is no option of mke2fs; each contender fills its lane"),
            (&["-Y"], "`-Y` is no option of mke2fs that fsarena knows"),
        ];
        for (words, reason) in refused {
            let error = ext(words).expect_err(reason);
            assert!(error.contains(reason), "{error}");
        }
        let xfs = |words: &[&str]| with(MKFS_XFS, &["mkfs.xfs", "-m", "uuid=u"], words);
        assert_eq!(
            xfs(&["-m", "rmapbt=0", "-d", "agcount=8"]).as_deref(),
            Ok("mkfs.xfs -m uuid=u,rmapbt=0 -d agcount=8")
        );
        assert!(
            ["-dsize=1g", "-lsize=64m,logdev=/dev/x", "-N", "-V", "-p/etc/fstab"].iter().all(|it| xfs(&[it]).is_err())
        );
        for word in ["-ssize=512", "-slog=9", "-bsize=1k", "-blog=10", "-dsectsize=2048", "-lsectlog=11"] {
            assert!(xfs(&[word]).is_err_and(|why| why.contains("no block is smaller than a sector")), "{word}");
        }
        for word in ["-ssize=4096", "-slog=12", "-bsize=16k", "-blog=13", "-bsize=8s", "-Ltwelve-bytes"] {
            assert!(xfs(&[word]).is_ok(), "{word}");
        }
        assert!(xfs(&["-m", "uuid=x"]).is_err());
        let btrfs = |words: &[&str]| with(MKFS_BTRFS, &["mkfs.btrfs", "-f"], words);
        assert_eq!(
            btrfs(&["--csum=xxhash", "-f", "-m", "single"]).as_deref(),
            Ok("mkfs.btrfs -f --csum xxhash -m single")
        );
        for words in [&["-b", "1g"][..], &["--shrink"], &["--rootdir=/etc"], &["-O", "list-all"], &["--uuid", "x"]] {
            assert!(btrfs(words).is_err(), "{words:?}");
        }
    }

    /// An option, or a word of its value, as a row of the guide.
    fn row(option: &str, rule: OptionRule) -> String {
        let words = match rule {
            Listed => "listed".to_owned(),
            Label(most) => format!("listed, up to {most} bytes"),
            Block | BlockLog => "listed, from 4096 bytes".to_owned(),
            Ours("") => "merged: fsarena sets it".to_owned(),
            Ours(value) => format!("merged: fsarena sets it to {value}"),
            Refused(why) => format!("refused: {why}"),
            Words(_) => unreachable!("each word has a row"),
        };
        format!("| `{option}` | {words} |")
    }

    fn rows(group: &MkfsOptions) -> Vec<String> {
        let shown = |names: &str| names.replace('|', "`, `");
        let of_list = |names: &str, (words, rule): &(&str, OptionRule)| {
            let word = |word: &str| if word.is_empty() { "…".to_owned() } else { word.to_owned() };
            let words = words.split(' ').map(|it| row(&format!("{} {}", shown(names), word(it)), *rule));
            words.collect::<Vec<_>>()
        };
        let of = |names| match group.rule {
            Words(rules) => rules.iter().flat_map(|words| of_list(names, words)).collect(),
            rule => vec![row(&shown(names), rule)],
        };
        group.names.split(' ').flat_map(of).collect()
    }

    #[test]
    fn the_guide_has_all_options() {
        let guide = include_str!("../../../../docs/guides/mkfs-options.md");
        let kinds: [(&str, &[MkfsOptions]); 6] = [
            ("ext2, ext3, ext4: mke2fs", MKE2FS),
            ("xfs: mkfs.xfs", MKFS_XFS),
            ("btrfs: mkfs.btrfs", MKFS_BTRFS),
            ("f2fs: mkfs.f2fs", MKFS_F2FS),
            ("nilfs2: mkfs.nilfs2", MKFS_NILFS2),
            ("zfs: zpool create", ZPOOL),
        ];
        for (title, options) in kinds {
            let mut expected: Vec<String> = options.iter().flat_map(rows).collect();
            expected.sort();
            let (_, section) = guide.split_once(&format!("## {title}\n")).expect("a section");
            let section = section.split("\n## ").next().unwrap_or(section);
            let mut found: Vec<&str> = section.lines().filter(|line| line.starts_with("| `")).collect();
            found.sort_unstable();
            assert_eq!(found, expected, "{title}");
        }
    }
}
