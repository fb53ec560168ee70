//! Options of mkfs that a user may add, kind by kind ([`tables`]). Each changes what is made and so is a difference of
//! the contender, or is added to ours, or is refused: a file system must fill its lane, be empty, and be finished when
//! mkfs returns.

mod tables;

use self::OptionRule::{Block, Label, Listed, Ours, Refused, Words};
pub(crate) use self::tables::*;
use crate::lane::BLOCK_SIZE;

/// An option of an mkfs.
#[derive(Debug)]
pub(crate) struct MkfsOption {
    /// Its names, such as `-L` and `--label`.
    names: &'static [&'static str],
    takes: Takes,
    rule: OptionRule,
}

/// Whether an option has a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Takes {
    Nothing,
    Value,
}

/// What becomes of an option.
#[derive(Debug, Clone, Copy)]
enum OptionRule {
    /// It is passed on.
    Listed,
    /// It is passed on if its value has at most this many bytes: some mkfs shorten a longer one, and exit with 0.
    Label(usize),
    /// It is passed on if its value is a size in bytes that is at least that of a lane's sector.
    Block,
    /// It is what every contender of the kind has already.
    Ours,
    /// It is refused for this reason.
    Refused(&'static str),
    /// Its value is a list of these words; fsarena's list and those of all occurrences become one.
    Words(&'static [(&'static str, OptionWord)]),
}

/// What becomes of a word in a list, by its name before `=`.
#[derive(Debug, Clone, Copy)]
enum OptionWord {
    /// It is passed on.
    Listed,
    /// It is passed on if its value is a size in bytes that is at least that of a lane's sector.
    Block,
    /// The same, as the logarithm to the base 2.
    BlockLog,
    /// It must have this value, which every contender of the kind has; none: the word alone.
    Ours(&'static str),
    /// It is refused for this reason.
    Refused(&'static str),
}

const fn flag(names: &'static [&'static str], rule: OptionRule) -> MkfsOption {
    MkfsOption { names, takes: Takes::Nothing, rule }
}

const fn value(names: &'static [&'static str], rule: OptionRule) -> MkfsOption {
    MkfsOption { names, takes: Takes::Value, rule }
}

/// An option as typed, with its value.
struct Typed<'a> {
    option: &'static MkfsOption,
    value: Option<&'a str>,
}

/// The words of `ours` (a program and its options) with the `further` words of a user.
///
/// # Errors
/// Why the further words are refused.
pub(crate) fn merged(known: &'static [MkfsOption], ours: &[String], further: &[String]) -> Result<Vec<String>, String> {
    let program = ours.first().map_or("", String::as_str);
    let mut words = ours.to_vec();
    for Typed { option, value } in typed(known, program, further)? {
        let name = option.names[0];
        let shown = value.map_or(name.to_owned(), |value| format!("{name} {value}"));
        match option.rule {
            Refused(why) => return Err(format!("`{shown}` of {program} is refused: {why}")),
            Label(most) if value.is_some_and(|value| value.len() > most) => {
                return Err(format!("`{shown}` of {program} is refused: a label has at most {most} bytes"));
            }
            Block if value.is_some_and(is_below_sector) => {
                return Err(format!("`{shown}` of {program} is refused: {}", below_sector()));
            }
            Ours => {}
            Listed | Label(_) | Block if words.iter().any(|word| word == name) => {
                return Err(format!("`{name}` of {program} is given twice, or by fsarena itself"));
            }
            Listed | Label(_) | Block => words.extend([name].into_iter().chain(value).map(str::to_owned)),
            Words(allowed) => {
                let own = listed(allowed, value.unwrap_or_default())
                    .map_err(|(word, why)| format!("`{word}` in `{shown}` of {program} is refused: {why}"))?;
                add(&mut words, name, &own).map_err(|word| {
                    format!("`{word}` in `{shown}` of {program} is refused: another word contradicts it")
                })?;
            }
        }
    }
    Ok(words)
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
fn listed<'a>(
    allowed: &'static [(&'static str, OptionWord)],
    list: &'a str,
) -> Result<Vec<&'a str>, (&'a str, String)> {
    let mut kept = Vec::new();
    for word in list.split(',').filter(|word| !word.is_empty()) {
        let (name, value) = (subject(word), word.split_once('=').map_or("", |(_, value)| value));
        let find = |wanted: &str| allowed.iter().find(|(known, _)| *known == wanted).map(|(_, rule)| *rule);
        match find(name).or_else(|| find("")) {
            Some(OptionWord::Block) if is_below_sector(value) => return Err((word, below_sector())),
            Some(OptionWord::BlockLog) if value.parse().is_ok_and(|log: u32| log < BLOCK_SIZE.ilog2()) => {
                return Err((word, below_sector()));
            }
            Some(OptionWord::Listed | OptionWord::Block | OptionWord::BlockLog) => kept.push(word),
            Some(OptionWord::Ours(wanted)) if value == wanted => {}
            Some(OptionWord::Ours(_)) => return Err((word, LATER.to_owned())),
            Some(OptionWord::Refused(why)) => return Err((word, why.to_owned())),
            None => return Err((word, format!("it is not known; known are {}", names(allowed)))),
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

fn names(allowed: &[(&'static str, OptionWord)]) -> String {
    let passed = allowed.iter().filter(|(_, rule)| !matches!(rule, OptionWord::Ours(_) | OptionWord::Refused(_)));
    passed.map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

/// Reads words as getopt(3) does: values follow their option or are attached, flags of one letter may be joined.
fn typed<'a>(known: &'static [MkfsOption], program: &str, further: &'a [String]) -> Result<Vec<Typed<'a>>, String> {
    let find = |name: &str| {
        let found = known.iter().find(|option| option.names.contains(&name));
        found.ok_or_else(|| format!("`{name}` is no option of {program} that fsarena knows"))
    };
    let mut words = further.iter().map(String::as_str);
    let mut typed = Vec::new();
    while let Some(word) = words.next() {
        let mut next = |name: &str| words.next().ok_or_else(|| format!("`{name}` of {program} needs a value"));
        if let Some(long) = word.strip_prefix("--").filter(|long| !long.is_empty()) {
            let (name, attached) = long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
            let name = format!("--{name}");
            let option = find(&name)?;
            let value = match (option.takes, attached) {
                (Takes::Nothing, None) => None,
                (Takes::Nothing, Some(_)) => return Err(format!("`{name}` of {program} takes no value")),
                (Takes::Value, Some(value)) => Some(value),
                (Takes::Value, None) => Some(next(&name)?),
            };
            typed.push(Typed { option, value });
            continue;
        }
        let Some(letters) = word.strip_prefix('-').filter(|letters| !letters.is_empty()) else {
            return Err(format!("`{word}` is no option of {program}; {SIZE}"));
        };
        for (place, letter) in letters.char_indices() {
            let name = format!("-{letter}");
            let option = find(&name)?;
            if option.takes == Takes::Nothing {
                typed.push(Typed { option, value: None });
                continue;
            }
            let rest = &letters[place + letter.len_utf8()..];
            let value = if rest.is_empty() { next(&name)? } else { rest };
            typed.push(Typed { option, value: Some(value) });
            break;
        }
    }
    Ok(typed)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OURS: &[&str] = &["mke2fs", "-q", "-E", "lazy_itable_init=0,nodiscard,hash_seed=h"];

    fn with(known: &'static [MkfsOption], ours: &[&str], further: &[&str]) -> Result<String, String> {
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
    fn row(option: &str, rule: &str) -> String {
        format!("| `{}` | {rule} |\n", option.replace('|', "\\|"))
    }

    fn rows(option: &MkfsOption) -> String {
        let names = option.names.join("`, `");
        let word = |(word, rule): &(&str, OptionWord)| {
            let name = if word.is_empty() { format!("{names} …") } else { format!("{names} {word}") };
            row(
                &name,
                &match rule {
                    OptionWord::Listed => "listed".to_owned(),
                    OptionWord::Block | OptionWord::BlockLog => "listed, from 4096 bytes".to_owned(),
                    OptionWord::Ours("") => "merged: fsarena sets it".to_owned(),
                    OptionWord::Ours(value) => format!("merged: fsarena sets it to {value}"),
                    OptionWord::Refused(why) => format!("refused: {why}"),
                },
            )
        };
        match option.rule {
            OptionRule::Listed => row(&names, "listed"),
            OptionRule::Label(most) => row(&names, &format!("listed, up to {most} bytes")),
            OptionRule::Block => row(&names, "listed, from 4096 bytes"),
            OptionRule::Ours => row(&names, "merged: fsarena sets it"),
            OptionRule::Refused(why) => row(&names, &format!("refused: {why}")),
            OptionRule::Words(words) => words.iter().map(word).collect(),
        }
    }

    #[test]
    fn the_guide_has_all_options() {
        let guide = include_str!("../../../../docs/guides/mkfs-options.md");
        let kinds: [(&str, &[MkfsOption]); 5] = [
            ("ext2, ext3, ext4: mke2fs", MKE2FS),
            ("xfs: mkfs.xfs", MKFS_XFS),
            ("btrfs: mkfs.btrfs", MKFS_BTRFS),
            ("f2fs: mkfs.f2fs", MKFS_F2FS),
            ("nilfs2: mkfs.nilfs2", MKFS_NILFS2),
        ];
        for (title, options) in kinds {
            let rows: String = options.iter().map(rows).collect();
            let table = format!("## {title}\n| option | fsarena |\n|---|---|\n{rows}");
            assert!(guide.contains(&table), "the guide should have:\n{table}");
        }
    }
}
