//! Tests of the options of mkfs.

use super::OptionRule::{Listed, Needs};
use super::*;

const OURS: &[&str] = &["mke2fs", "-q", "-E", "lazy_itable_init=0,nodiscard,hash_seed=h"];

fn with(known: &'static OptionRules, ours: &[&str], further: &[&str]) -> Result<String, String> {
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
        ext(&["-E", "stride=16", "-O", "^has_journal", "-Estripe_width=32,nodiscard", "-O", "dir_index"]).as_deref(),
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
            "`stride=32` in `-E stride=32` of mke2fs is refused: `stride=16` contradicts it",
        ),
        (&["-O", "has_journal,^has_journal"], "`has_journal` contradicts it"),
        (&["-E", "stripe-width=16,stripe_width=32"], "`stripe-width=16` contradicts it"),
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
    assert_eq!(xfs(&["-m", "rmapbt=0", "-d", "agcount=8"]).as_deref(), Ok("mkfs.xfs -m uuid=u,rmapbt=0 -d agcount=8"));
    assert!(["-dsize=1g", "-lsize=64m,logdev=/dev/x", "-N", "-V", "-p/etc/fstab"].iter().all(|it| xfs(&[it]).is_err()));
    for word in ["-bsize=0x400", "-bsize=-4096", "-blog=0xa", "-blog=012", "-slog=17", "-onoatime"] {
        assert!(xfs(&[word]).is_err(), "{word}");
    }
    for word in ["-ssize=512", "-slog=9", "-bsize=1k", "-blog=10", "-dsectsize=2048", "-lsectlog=11"] {
        assert!(xfs(&[word]).is_err_and(|why| why.contains("no block is smaller than a sector")), "{word}");
    }
    for word in ["-ssize=4096", "-slog=12", "-bsize=16k", "-blog=13", "-bsize=8s", "-Ltwelve-bytes"] {
        assert!(xfs(&[word]).is_ok(), "{word}");
    }
    assert!(xfs(&["-m", "uuid=x"]).is_err());
    let btrfs = |words: &[&str]| with(MKFS_BTRFS, &["mkfs.btrfs", "-f"], words);
    assert_eq!(btrfs(&["--csum=xxhash", "-f", "-m", "single"]).as_deref(), Ok("mkfs.btrfs -f --csum xxhash -m single"));
    for words in [&["-b", "1g"][..], &["--shrink"], &["--rootdir=/etc"], &["-O", "list-all"], &["--uuid", "x"]] {
        assert!(btrfs(words).is_err(), "{words:?}");
    }
}

/// mkfs would take a word that is neither an option nor a value as the device.
#[test]
fn each_option_keeps_its_value_as_a_word_of_its_own() {
    let btrfs = |words: &[&str]| with(MKFS_BTRFS, &["mkfs.btrfs", "-f"], words);
    assert_eq!(btrfs(&["--label=", "-n", "16k"]).as_deref(), Ok("mkfs.btrfs -f -L  -n 16k"));
    assert_eq!(ext(&["-L", "", "-v"]).as_deref(), Ok("mke2fs -q -E lazy_itable_init=0,nodiscard,hash_seed=h -L  -v"));
    for (words, option) in [(&["--csum="][..], "--csum"), (&["-d", ""], "-d"), (&["-O", ""], "-O")] {
        let why = format!("`{option}` of mkfs.btrfs is refused: its value is empty");
        assert_eq!(btrfs(words), Err(why));
    }
    // A value that reads like an option is no option.
    assert_eq!(btrfs(&["-L", "-O", "-O", "no-holes"]).as_deref(), Ok("mkfs.btrfs -f -L -O -O no-holes"));
    assert_eq!(btrfs(&["-L-f", "-v"]).as_deref(), Ok("mkfs.btrfs -f -L -f -v"));
    let error = btrfs(&["-L", "-n", "disk.img"]).expect_err("a device");
    assert!(error.contains("`disk.img` is no option"), "{error}");
}

/// An option, or a word of its value, as a row of the guide.
fn row(option: &str, rule: OptionRule) -> String {
    let words = match rule {
        Listed => "listed".to_owned(),
        Label(most) => format!("listed, up to {most} bytes"),
        Block | BlockLog => "listed, from 4096 bytes".to_owned(),
        Valued => "listed, with a value".to_owned(),
        OneOf(values) => format!("listed, one of {}", values.replace(' ', ", ")),
        Record => "listed, a power of two".to_owned(),
        Needs(feature) => format!("listed, with the feature `{feature}`"),
        Feature => "listed, if mke2fs makes it, or leaves it out".to_owned(),
        Ours => "merged: fsarena sets it".to_owned(),
        Fixed(value, _) => format!("merged: fsarena sets it to {value}"),
        Refused(why) => format!("refused: {why}"),
        Words(_) => unreachable!("each word has a row"),
    };
    format!("| `{option}` | {words} |")
}

fn rows((names, rule): &(&str, OptionRule)) -> Vec<String> {
    let shown = |names: &str| names.trim_end_matches('=').replace('|', "`, `");
    let of_list = |names: &str, (words, rule): &(&str, OptionRule)| {
        let word = |word: &str| if word.is_empty() { "…".to_owned() } else { word.to_owned() };
        let words = words.split(' ').map(|it| row(&format!("{} {}", shown(names), word(it)), *rule));
        words.collect::<Vec<_>>()
    };
    let of = |names| match *rule {
        Words(rules) => rules.iter().flat_map(|words| of_list(names, words)).collect(),
        rule => vec![row(&shown(names), rule)],
    };
    names.split(' ').flat_map(of).collect()
}

#[test]
fn the_guide_has_all_options() {
    let guide = include_str!("../../../../../docs/guides/mkfs-options.md");
    let kinds: [(&str, &OptionRules); 11] = [
        ("ext2, ext3, ext4: mke2fs", MKE2FS),
        ("xfs: mkfs.xfs", MKFS_XFS),
        ("btrfs: mkfs.btrfs", MKFS_BTRFS),
        ("bcachefs: bcachefs format", BCACHEFS_FORMAT),
        ("f2fs: mkfs.f2fs", MKFS_F2FS),
        ("nilfs2: mkfs.nilfs2", MKFS_NILFS2),
        ("jfs: mkfs.jfs", MKFS_JFS),
        ("reiserfs: mkreiserfs", MKREISERFS),
        ("exfat: mkfs.exfat", MKFS_EXFAT),
        ("udf: mkudffs", MKUDFFS),
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
    let words = |(kinds, rules): (&str, &OptionRules)| {
        let of = |(words, rule): &(&str, OptionRule)| {
            let rows = words.split(' ').map(|word| if word.is_empty() { "…" } else { word });
            rows.map(|word| format!("| {kinds} {}", row(word, *rule))).collect::<Vec<_>>()
        };
        rules.iter().flat_map(of).collect::<Vec<_>>()
    };
    let missing: Vec<String> =
        mounts::TABLES.into_iter().flat_map(words).filter(|row| !guide.lines().any(|line| line == row)).collect();
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}
