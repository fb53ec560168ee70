//! Options of other programs, so that two spellings of the same are the same.

use std::collections::BTreeMap;

use fsarena_lane::kind::named_in;

/// The options of a command line by name, with all their values: `-n 10 -Fu --dir.api=POSIX` has `-n`, `-F`, `-u` and
/// `--dir.api`. A word that is no option is the value of the option before it.
pub fn of_command(command: &str) -> BTreeMap<String, String> {
    let mut options: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut last = None;
    for word in command.split_whitespace().map(|word| word.trim_matches(['\'', '"'])) {
        if let Some(letters) = word.strip_prefix('-').filter(|letters| letters.starts_with(char::is_alphabetic)) {
            let (names, value) =
                letters.split_at(letters.find(|letter: char| !letter.is_alphabetic()).unwrap_or(letters.len()));
            for letter in names.chars() {
                options.entry(format!("-{letter}")).or_default();
                last = Some(format!("-{letter}"));
            }
            let value = value.trim_start_matches('=');
            if let Some(values) = last.as_ref().and_then(|name| options.get_mut(name)).filter(|_| !value.is_empty()) {
                values.push(size(value));
            }
        } else if word.starts_with('-') {
            let (name, value) = word.split_once('=').unwrap_or((word, ""));
            options.entry(name.to_owned()).or_default().extend(Some(size(value)).filter(|value| !value.is_empty()));
            last = Some(name.to_owned());
        } else if let Some(values) = last.as_ref().and_then(|name| options.get_mut(name)) {
            values.push(size(word));
        }
    }
    let joined = |values: Vec<String>| if values.is_empty() { "set".to_owned() } else { values.join(" ") };
    options.into_iter().map(|(name, values)| (name, joined(values))).collect()
}

/// Units of memory.
const UNITS: [&str; 6] = ["", "k", "m", "g", "t", "p"];

/// What `k` and `KiB` are, whose powers are the larger units.
#[derive(Clone, Copy)]
pub struct UnitBase {
    pub k: u64,
    pub kib: u64,
}

impl UnitBase {
    const BINARY: Self = Self { k: 1024, kib: 1024 };

    /// The bytes of a number with a unit of memory, such as `4096`, `4k` or `4 KiB`.
    pub fn bytes(self, text: &str) -> Option<u64> {
        let lower = text.to_lowercase();
        let digits = lower.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(lower.len());
        let unit = lower[digits..].trim_start();
        let (base, unit) = match unit.strip_suffix("ib") {
            Some(unit) => (self.kib, unit),
            None => (self.k, unit.trim_end_matches(['b', 'i'])),
        };
        let power = UNITS.iter().position(|name| *name == unit)?;
        lower[..digits].parse::<u64>().ok()?.checked_mul(base.checked_pow(u32::try_from(power).ok()?)?)
    }

    /// A text in which numbers with a unit of memory have the largest unit of 1024 that leaves no fraction.
    pub fn size(self, text: &str) -> String {
        self.bytes(text).map_or_else(|| text.to_owned(), in_units)
    }
}

/// A size where `k` and `KiB` are the same: `4096`, `4k` and `4KiB` are `4k`.
pub fn size(text: &str) -> String {
    UnitBase::BINARY.size(text)
}

fn in_units(bytes: u64) -> String {
    let power = (0..UNITS.len()).rev().find(|power| bytes > 0 && bytes.is_multiple_of(1 << (10 * power))).unwrap_or(0);
    format!("{}{}", bytes >> (10 * power), UNITS[power])
}

/// A text with `new` for `old` where that is a word, or some words, and not a part of one.
pub fn with_word(text: &str, old: &str, new: &str) -> String {
    let is_inside = |letters: [Option<char>; 2]| letters.iter().all(|it| it.is_some_and(char::is_alphanumeric));
    let (mut result, mut end) = (String::new(), 0);
    for (place, _) in text.match_indices(old) {
        let after = place + old.len();
        let begin = [text[..place].chars().next_back(), old.chars().next()];
        if !is_inside(begin) && !is_inside([old.chars().next_back(), text[after..].chars().next()]) {
            result = result + &text[end..place] + new;
            end = after;
        }
    }
    result + &text[end..]
}

/// A name or a command with `{label}` for the file system that a label names, and for such a label itself.
pub fn without_label(text: &str, label: &str) -> String {
    let words = named_in(label).into_iter().flat_map(|kind| [label, kind]);
    words.fold(text.to_owned(), |text, word| with_word(&text, word, "{label}"))
}

/// Folders of mount points (Filesystem Hierarchy Standard).
const OF_MOUNTS: [&str; 2] = ["mnt", "media"];

/// A command with `{label}` for each mount point: `tar -xf a.tar -C /mnt/{label}/b`.
pub fn without_mounts(command: &str) -> String {
    let is_of_name = |letter: char| letter.is_alphanumeric() || "-_.{}".contains(letter);
    let (mut general, mut is_mount) = (String::new(), false);
    for part in command.split_inclusive(|letter| !is_of_name(letter)) {
        let (name, end) = part.split_at(part.trim_end_matches(|letter| !is_of_name(letter)).len());
        let is_place = is_mount && !name.is_empty() && (end == "/" || !name.contains('.'));
        general = general + if is_place { "{label}" } else { name } + end;
        is_mount = end == "/" && OF_MOUNTS.contains(&name);
    }
    general
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_a_size_are_one() {
        assert_eq!(["4096", "4k", "4K", "4KiB", "4 KiB", "4kb", "4Ki"].map(size), ["4k"; 7].map(str::to_owned));
        assert_eq!(["0", "10", "1g", "1048576", "16M"].map(size), ["0", "10", "1g", "1m", "16m"].map(str::to_owned));
        assert_eq!(
            ["randread", "/mnt/4k", "", "99999999999999999999k"].map(size).join("|"),
            "randread|/mnt/4k||99999999999999999999k"
        );
    }

    #[test]
    fn words_are_replaced_as_a_whole() {
        let of = |text: &str, old: &str| with_word(text, old, "N");
        assert_eq!(of("cat /mnt/a/a_1 -a", "a"), "cat /mnt/N/N_1 -N");
        assert_eq!(of("bs=100 count=10 skip=0", "0"), "bs=100 count=10 skip=N");
        assert_eq!(of("/x/a /a/b /ab", "/a"), "/xN N/b /ab");
        assert_eq!(of("éa a", "a"), "éa N");
    }

    #[test]
    fn options_have_their_values() {
        let options = of_command("./mdtest '-n' '10' -Fu -w=4096 -b16m --posix.odirect --dir=/mnt -i 0 -i 1 -o /x/-e");
        let expected = [
            ("--dir", "/mnt"),
            ("--posix.odirect", "set"),
            ("-F", "set"),
            ("-b", "16m"),
            ("-i", "0 1"),
            ("-n", "10"),
            ("-o", "/x/-e"),
            ("-u", "set"),
            ("-w", "4k"),
        ];
        assert_eq!(options, expected.map(|(name, value)| (name.to_owned(), value.to_owned())).into());
    }
}
