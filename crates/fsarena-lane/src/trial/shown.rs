//! Whether a mount option is in effect, according to what the kernel shows of mounts with and without it.

use std::collections::BTreeSet;

use fsarena_model::Bytes;

/// Whether the mount option `word` changes what the kernel shows. `none` is what it shows of a mount without options,
/// `alone` of one with this option, and `all` of one with all options of the contender.
///
/// # Errors
/// Why it is refused: its value is replaced, or another option cancels it.
pub fn effect(word: &str, none: &str, alone: &str, all: &str) -> Result<bool, String> {
    let [without, with, together] = [none, alone, all].map(|options| options.split(',').collect::<BTreeSet<&str>>());
    if without != with
        && let Some((name, value)) = word.split_once('=')
        && let Some(shown) = with.iter().find(|shown| shown.split('=').next() == Some(name) && shown.contains('='))
        && !is_same(value, &shown[name.len() + 1..])
    {
        return Err(format!("this kernel mounts it with `{shown}` instead"));
    }
    // A default that is named is meant, too.
    let lost =
        with.iter().filter(|shown| !without.contains(*shown) || **shown == word).find(|it| !together.contains(*it));
    let back = without.difference(&with).find(|shown| together.contains(*shown));
    match lost.or(back) {
        Some(shown) => Err(format!("another option cancels it: alone it changes `{shown}`, and together they do not")),
        None => Ok(without != with),
    }
}

/// Whether the kernel shows a value as it was given: `zstd` may be `zstd:3`, and `1m` may be `1024k`. What is no number
/// cannot be compared with one: `50%`.
fn is_same(given: &str, shown: &str) -> bool {
    let mut shown = shown.split(':');
    let is_part = |(given, shown): (&str, &str)| match (given.parse::<Bytes>(), shown.parse::<Bytes>()) {
        (Ok(given), Ok(shown)) => given == shown,
        (Err(_), Ok(_)) => true,
        _ => given.eq_ignore_ascii_case(shown),
    };
    given.split(':').all(|given| shown.next().is_some_and(|shown| is_part((given, shown))))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BTRFS: &str = "rw,relatime,discard=async,space_cache=v2,subvolid=5,subvol=/";
    const XFS: &str = "rw,relatime,inode64,logbufs=8,logbsize=32k,noquota";

    fn of(word: &str, none: &str, alone: &str, all: &str) -> Result<bool, String> {
        let full = |own: &str| if own.contains("rw") { own.to_owned() } else { format!("{none},{own}") };
        effect(word, none, &full(alone), &full(all))
    }

    /// As Linux 6.18 shows them.
    #[test]
    fn options_that_are_shown_have_an_effect() {
        for (word, none, alone) in [
            ("compress=zstd", BTRFS, "compress=zstd:3"),
            ("compress=ZSTD:3", BTRFS, "compress=zstd:3"),
            ("compress", BTRFS, "compress=zlib:3"),
            ("nodatacow", BTRFS, "nodatasum,nodatacow"),
            ("discard=sync", BTRFS, "rw,relatime,discard,space_cache=v2,subvolid=5,subvol=/"),
            ("noatime", XFS, "rw,noatime,inode64,logbufs=8,logbsize=32k,noquota"),
            ("inode32", XFS, "rw,relatime,inode32,logbufs=8,logbsize=32k,noquota"),
            ("logbsize=65536", XFS, "rw,relatime,inode64,logbufs=8,logbsize=64k,noquota"),
            ("allocsize=1m", XFS, "allocsize=1024k"),
            ("barrier=0", "rw,relatime", "nobarrier"),
            ("size=50%", "rw,relatime", "size=5k"),
            ("mode=0700", "rw,relatime", "mode=700"),
            ("nr_blocks=1k", "rw,relatime", "size=4096k"),
        ] {
            assert_eq!(of(word, none, alone, alone), Ok(true), "{word}");
        }
        assert_eq!(of("nosuid", "rw,relatime", "nosuid", "nosuid,commit=9"), Ok(true));
    }

    #[test]
    fn defaults_and_ignored_options_have_none() {
        for (word, none) in [
            ("commit=0", BTRFS),
            ("subvolid=0", BTRFS),
            ("compress=no", BTRFS),
            ("relatime", XFS),
            ("logbsize=32k", XFS),
            ("nobh", "rw,relatime"),
        ] {
            assert_eq!(effect(word, none, none, none), Ok(false), "{word}");
        }
    }

    #[test]
    fn options_that_are_replaced_or_cancelled_are_refused() {
        let (zstd, lzo, cow) = ("compress=zstd:3", "compress-force=lzo", "nodatasum,nodatacow");
        for (word, none, alone, all, why) in [
            ("compress=zstd:99", BTRFS, "compress=zstd:15", "compress=zstd:15", "`compress=zstd:15` instead"),
            ("compress=lzo:3", BTRFS, "compress=lzo", "compress=lzo", "`compress=lzo` instead"),
            ("compress=zlib:0", BTRFS, "compress=zlib:3", "compress=zlib:3", "instead"),
            ("max_inline=1m", BTRFS, "max_inline=4096", "max_inline=4096", "`max_inline=4096` instead"),
            ("dax=always", XFS, "dax=never", "dax=never", "`dax=never` instead"),
            ("nodatacow", BTRFS, cow, zstd, "alone it changes `nodatacow`"),
            ("compress=zstd", BTRFS, zstd, cow, "alone it changes `compress=zstd:3`"),
            ("nodatacow", BTRFS, cow, BTRFS, "another option cancels it"),
            ("compress=zstd", BTRFS, zstd, lzo, "another option cancels it"),
            ("inode32", XFS, "rw,relatime,inode32,logbufs=8,logbsize=32k,noquota", XFS, "`inode32`"),
            ("noquota", XFS, XFS, "rw,relatime,inode64,logbufs=8,logbsize=32k,usrquota", "`noquota`"),
            ("strictatime", "rw,relatime", "rw", "rw,relatime", "`relatime`"),
        ] {
            let error = of(word, none, alone, all).expect_err(word);
            assert!(error.contains(why), "{word}: {error}");
        }
    }
}
