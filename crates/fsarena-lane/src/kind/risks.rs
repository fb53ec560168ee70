//! What the options of a contender give up in safety, compared with the defaults of its kind. It is shown with the
//! speed, which may be its price. Sources: ext4(5), btrfs(5), f2fs(5) in Documentation/filesystems, mount(8).

/// A mount option: the kinds that do not have it by default, the option as the kernel reports it, and what it gives up.
const OPTIONS: &[(&str, &str, &str)] = &[
    ("ext3 ext4", "data=writeback", "after a crash, files may contain old data of others, also deleted ones"),
    ("ext3 ext4", "noauto_da_alloc", "a file that was replaced shortly before a crash may be empty"),
    ("btrfs", "nodatacow", "data has no checksums, and a crash can leave a half-written block"),
    ("btrfs", "nodatasum", "data has no checksums: damage to it is not noticed"),
    ("bcachefs", "nocow", "data has no checksums, and a crash can leave a half-written block"),
    ("bcachefs", "journal_flush_disabled", "a crash loses about a second of changes, also those that were synced"),
    ("zfs", "sync=disabled", "a crash loses seconds of changes, also those that were synced"),
    ("zfs", "checksum=off", "data has no checksums: damage to it is not noticed"),
    ("f2fs", "checkpoint=disable", "a crash loses all changes since the mount"),
    // F2FS has it by default.
    ("ext2 ext3 ext4 xfs btrfs", "lazytime", "a crash loses changes of times, up to a day old"),
];

/// The seconds between two commits by default. A crash loses what was not synced since the last one.
const COMMITS: &[(&str, u32)] = &[("ext3 ext4", 5), ("btrfs", 30)];

/// Features that all file systems of a kind have by default, and what is given up without them.
const FEATURES: &[(&str, &str, &str)] = &[
    ("ext3 ext4", "has_journal", "without a journal: after a crash it has to be checked in full, and may be damaged"),
    ("ext4", "metadata_csum", "without checksums: damage to metadata is not noticed"),
    ("btrfs", "metadata=dup", "metadata is stored once: one unreadable block may cost the file system"),
];

/// What a file system of this kind gives up by its mount options and by missing features, each with the option:
/// `data=writeback: after a crash, …`. Empty for defaults. Without `features`, which are those that the kind's own tool
/// reports, none is missing.
pub fn risks(kind: &str, options: &str, features: &[String]) -> Vec<String> {
    let is_of = |kinds: &str| kinds.split(' ').any(|it| it == kind);
    let options: Vec<&str> = options.split(',').collect();
    let of_option = OPTIONS.iter().filter(|(kinds, option, _)| is_of(kinds) && options.contains(option));
    // Without copy on write there are no checksums either: one sentence says both.
    let is_said = |option: &str| option == "nodatasum" && options.contains(&"nodatacow");
    let of_option = of_option.filter(|(_, option, _)| !is_said(option));
    let seconds = options.iter().find_map(|option| option.strip_prefix("commit=")?.parse::<u32>().ok());
    let longer = |(kinds, default): &(&str, u32)| seconds.filter(|seconds| is_of(kinds) && seconds > default);
    let of_commit = COMMITS.iter().filter_map(|commit| Some((longer(commit)?, commit.1)));
    let of_commit = of_commit.map(|(seconds, default)| {
        format!(
            "commit={seconds}: a crash loses up to {seconds} s of changes that were not synced, by default {default} s"
        )
    });
    let has = |feature: &str| features.iter().any(|own| own == feature);
    // `metadata=dup` is missing only where another value is known.
    let is_known = |feature: &str| match feature.split_once('=') {
        Some((key, _)) => features.iter().any(|own| own.split('=').next() == Some(key)),
        None => !features.is_empty(),
    };
    let is_missing = |feature: &str| is_known(feature) && !has(feature);
    let of_feature = FEATURES.iter().filter(|(kinds, feature, _)| is_of(kinds) && is_missing(feature));
    let option = |(_, option, words): &(&str, &str, &str)| format!("{option}: {words}");
    let feature = |(_, _, words): &(&str, &str, &str)| (*words).to_owned();
    of_option.map(option).chain(of_commit).chain(of_feature.map(feature)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(kind: &str, options: &str, features: &[&str]) -> Vec<String> {
        risks(kind, options, &features.iter().map(|feature| (*feature).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn what_an_option_gives_up_is_said() {
        let beginnings = |risks: Vec<String>| -> Vec<String> {
            risks.iter().map(|risk| risk.split(':').next().unwrap_or_default().to_owned()).collect()
        };
        assert_eq!(beginnings(of("ext4", "rw,data=writeback,commit=60", &[])), ["data=writeback", "commit=60"]);
        assert_eq!(beginnings(of("btrfs", "rw,nodatasum,nodatacow", &[])), ["nodatacow"]);
        assert_eq!(beginnings(of("btrfs", "rw,nodatasum", &[])), ["nodatasum"]);
        assert_eq!(beginnings(of("ext4", "rw,lazytime", &[])), ["lazytime"]);
        assert_eq!(beginnings(of("ext4", "rw", &["extent", "metadata_csum"])), ["without a journal"]);
        assert_eq!(beginnings(of("btrfs", "rw", &["metadata=single"])), ["metadata is stored once"]);
    }

    #[test]
    fn defaults_and_safer_options_give_up_nothing() {
        assert_eq!(of("ext4", "rw,noatime,commit=1", &["has_journal", "metadata_csum"]), [""; 0]);
        assert_eq!(of("btrfs", "rw,compress=zstd:3,commit=30", &["metadata=dup"]), [""; 0]);
        assert_eq!(of("ext2", "rw", &["filetype"]), [""; 0]);
        assert_eq!(of("f2fs", "rw,relatime,lazytime", &[]), [""; 0]);
        assert_eq!(of("xfs", "rw,logbufs=8", &["crc"]), [""; 0]);
    }
}
