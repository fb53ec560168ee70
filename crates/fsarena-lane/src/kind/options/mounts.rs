//! Mount options that are refused, kind by kind, according to ext4(5), xfs(5), btrfs(5), mount(8) and
//! Documentation/filesystems. The kernel knows all others, or refuses them.

use super::OptionRule::{Listed, Needs, Refused};
use super::{DISCARD, ELSEWHERE, FEATURES, HALTS, OptionRules, READ_ONLY, SIZE, rule_of, subject, value_of};

/// Loop devices never have it.
const MAPPED: &str = "a lane is no memory that could be mapped";
const REPAIR: &str = "it is for reading a damaged file system";

/// Those of all kinds.
const ALL: &OptionRules = &[("ro", Refused(READ_ONLY)), ("errors=panic fatal_errors=panic", Refused(HALTS))];

/// Those of ext2, ext3 and ext4.
pub(crate) const EXT: &OptionRules = &[
    ("journal_dev journal_path", Refused(ELSEWHERE)),
    ("noload norecovery", Refused("it leaves the journal unused; `-O ^has_journal` makes none")),
    ("abort", Refused(READ_ONLY)),
    ("dax=inode dax=never", Listed),
    ("dax", Refused(MAPPED)),
    ("sb=1", Listed),
    ("sb", Refused("a new file system is read from its first super block")),
    ("commit data data_err journal_async_commit journal_checksum", Needs("has_journal")),
];

/// Those that only ext2 has not.
pub(crate) const EXT2: &OptionRules =
    &[("commit data data_err journal_async_commit journal_checksum", Refused("ext2 has no journal, and ext3 has one"))];

pub(crate) const XFS: &OptionRules = &[
    ("logdev rtdev", Refused(ELSEWHERE)),
    ("norecovery", Refused(REPAIR)),
    ("dax=inode dax=never", Listed),
    ("dax", Refused(MAPPED)),
];

pub(crate) const BTRFS: &OptionRules = &[
    ("device", Refused(ELSEWHERE)),
    ("nologreplay norecovery recovery rescue usebackuproot", Refused(REPAIR)),
    ("subvol=/ subvolid=0 subvolid=5", Listed),
    ("subvol subvolid", Refused("a new file system has no such subvolume")),
];

pub(crate) const BCACHEFS: &OptionRules = &[
    ("discard", Refused(DISCARD)),
    ("degraded fix_errors fsck nochanges norecovery reconstruct_alloc very_degraded", Refused(REPAIR)),
    ("read_only", Refused(READ_ONLY)),
];

pub(crate) const F2FS: &OptionRules = &[("norecovery", Refused(REPAIR))];

pub(crate) const NILFS2: &OptionRules =
    &[("cp", Refused("a new file system has no snapshot")), ("norecovery", Refused(REPAIR))];

pub(crate) const JFS: &OptionRules = &[("resize", Refused(SIZE))];

pub(crate) const REISERFS: &OptionRules =
    &[("jdev", Refused(ELSEWHERE)), ("replayonly", Refused(REPAIR)), ("resize", Refused(SIZE))];

/// Those of folders of the host.
pub(crate) const SHARE: &OptionRules = &[(
    "addr aname clientaddr directport ip mountaddr mountport port prefixpath source ssh_command trans unc",
    Refused("fsarena starts the server, and knows where it is"),
)];

/// All tables, with the kinds as the guide names them.
#[cfg(test)]
pub(super) const TABLES: [(&str, &OptionRules); 11] = [
    ("all", ALL),
    ("ext2", EXT2),
    ("ext2, ext3, ext4", EXT),
    ("xfs", XFS),
    ("btrfs", BTRFS),
    ("bcachefs", BCACHEFS),
    ("f2fs", F2FS),
    ("nilfs2", NILFS2),
    ("jfs", JFS),
    ("reiserfs", REISERFS),
    ("9p, nfs, smb, sshfs, virtiofs", SHARE),
];

/// Why `options`, separated by commas, are refused by these tables or contradict each other. `mkfs` is the command that
/// makes the file system.
pub(crate) fn refusals(tables: &[&OptionRules], options: &str, mkfs: &[String]) -> Vec<String> {
    let words: Vec<&str> = options.split(',').filter(|word| !word.is_empty()).collect();
    let lists: Vec<&str> = mkfs.windows(2).filter(|pair| pair[0] == FEATURES).map(|pair| pair[1].as_str()).collect();
    let why = |place: usize| {
        let word = words[place];
        let rule = tables.iter().chain([&ALL]).find_map(|rules| rule_of(rules, word));
        let refusal = rule.and_then(|rule| rule.refusal(value_of(word), &lists));
        let is_same = |other: &&&str| {
            let is_off = negates(other, word) || negates(word, other);
            is_off || **other != word && topic(other) == topic(word) && topic(word) != MANY
        };
        let same = || Some(format!("`{}` is about the same: name one of them", words[..place].iter().find(is_same)?));
        refusal.or_else(same).map(|why| format!("the mount option `{word}` is refused: {why}"))
    };
    (0..words.len()).filter_map(why).collect()
}

/// Whether an option switches another one off, as `noquota` does all quotas.
fn negates(option: &str, other: &str) -> bool {
    let (option, other) = (subject(option), subject(other));
    option.strip_prefix("no").is_some_and(|what| other.ends_with(what) && !other.starts_with("no"))
}

/// The topic of options of F2FS that may be given several times.
const MANY: &str = "compress_extension";

/// What a mount option is about: `compress` of `compress=zstd`, `discard` of `nodiscard`.
fn topic(option: &str) -> &str {
    let name = subject(option);
    match name {
        "noatime" | "relatime" | "strictatime" | "norelatime" | "nostrictatime" => "atime",
        "async" => "sync",
        "loud" => "silent",
        _ => name.strip_prefix("no").unwrap_or(name),
    }
}

#[cfg(test)]
mod tests {
    use crate::require;

    fn refused(contender: &str) -> Option<String> {
        let contender = contender.parse().expect("well spelled");
        require::contender(&contender).err().map(|error| error.to_string())
    }

    #[test]
    fn options_that_leave_the_lane_or_cannot_work_are_refused_with_the_reason() {
        let all = [
            ("ext4:journal_dev=0xfe00", "a device or a file that fsarena has not made"),
            ("ext3:journal_path=/no/such", "a device or a file"),
            ("ext4 -J device=LABEL=journal", "its options name `LABEL`, a device or a file"),
            ("xfs:logdev=/no/such", "a device or a file"),
            ("xfs:rtdev=/no/such", "a device or a file"),
            ("reiserfs:jdev=/no/such", "a device or a file"),
            ("btrfs:device=/no/such", "a device or a file"),
            ("tmpfs:ro", "the mount option `ro` is refused: it could not be written to"),
            ("ext4:noatime,abort", "it could not be written to"),
            ("ext4:noload", "`-O ^has_journal` makes none"),
            ("ext4:sb=8193", "its first super block"),
            ("ext4:errors=panic", "it would halt this machine"),
            ("ext4 -e panic", "`panic` in `-e panic` of mke2fs is refused: it would halt this machine"),
            ("ext3 -epanic", "it would halt this machine"),
            ("ext4:dax", "no memory that could be mapped"),
            ("xfs:noatime,dax=always", "no memory that could be mapped"),
            ("ext4 -O ^has_journal -J size=64", "`size=64` in `-J size=64` of mke2fs is refused: it needs the feature"),
            ("ext4 -j -O ^has_journal", "`-j` of mke2fs is refused: it needs the feature `has_journal`"),
            ("ext4 -O none -J fast_commit_size=4", "it needs the feature `fast_commit`"),
            ("ext4 -O extent,^resize_inode -E resize=8G", "it needs the feature `resize_inode`"),
            ("ext4 -O^quota -Equotatype=usrquota", "it needs the feature `quota`"),
            ("ext4 -O ^casefold -E encoding=utf8", "it needs the feature `casefold`"),
            ("xfs:norecovery", "a damaged file system"),
            ("btrfs:rescue=all", "a damaged file system"),
            ("btrfs:subvol=/foo", "no such subvolume"),
            ("btrfs:subvolid=256", "no such subvolume"),
            ("nilfs2:cp=3", "no snapshot"),
            ("nfs:addr=10.0.0.1", "fsarena starts the server"),
            ("ext4:data=writeback -O ^has_journal", "it needs the feature `has_journal`"),
            ("ext4:commit=9 -Oextent,^HAS_JOURNAL", "it needs the feature `has_journal`"),
            ("ext2:data=journal", "ext3 has one"),
            ("ext4:noatime,strictatime", "`strictatime` is refused: `noatime` is about the same: name one of them"),
            ("ext4:noatime,relatime", "about the same"),
            ("ext4:noexec,exec", "about the same"),
            ("ext4:data=journal,data=ordered", "about the same"),
            ("btrfs:datasum,nodatasum", "about the same"),
            ("xfs:usrquota,noquota", "`noquota` is refused: `usrquota` is about the same"),
            ("ext4:noatime, nodiratime", "`nodiratime` follows a space, and is no option of an mkfs"),
        ];
        for (contender, reason) in all {
            let error = refused(contender).unwrap_or_default();
            assert!(error.contains(reason), "{contender}: {error}");
        }
        let several = refused("ext4:ro,sb=3 -U x -n -O feature_i3").unwrap_or_default();
        for word in ["`ro`", "`sb=3`", "`-U x`", "`-n`", "`feature_i3`"] {
            assert!(several.contains(&format!("{word} ")), "{word}: {several}");
        }
    }

    #[test]
    fn others_are_left_to_the_kernel() {
        for contender in [
            "ext4:noatime,nodiratime,data=journal,commit=30,sb=1",
            "ext4:noatime,noatime,barrier=0 -O ^has_journal",
            "btrfs:subvol=/,noatime,nodatasum,compress=no",
            "btrfs:subvolid=5",
            "f2fs:compress_extension=a,compress_extension=b",
            "xfs:silent,logbufs=8,dax=inode",
            "xfs:usrquota,grpquota,noatime,nodiratime,lazytime",
            "ext4 -e continue -J size=64 -O ^resize_inode",
            "ext4:commit=5 -L none -J size=64",
            "ext4 -O none,has_journal -J size=64",
            "ext4 -L UUID",
            "9p:cache=loose,msize=131072",
            "tmpfs:huge=never",
        ] {
            assert_eq!(refused(contender), None, "{contender}");
        }
    }
}
