//! For each contender whose direct I/O goes through the page cache, adds one whose direct I/O does not.

use std::collections::BTreeSet;

use fsarena_model::{Contender, Label};

use crate::kind;

/// The contenders in `named`. Each one whose direct I/O goes through the page cache is followed by one with the mount
/// option that avoids this, unless that one is named, too. Also returns a note for each added contender.
pub fn with_direct(named: Vec<Contender>) -> (Vec<Contender>, Vec<String>) {
    let (mut all, mut notes) = (named.clone(), Vec::new());
    for contender in named {
        let Some(option) = kind(&contender.kind).and_then(|kind| (kind.made_direct)(&contender.mount)) else {
            continue;
        };
        let mount = with_option(&contender.mount, option);
        let is_it = |other: &Contender| {
            (&other.kind, &other.mkfs, options(&other.mount)) == (&contender.kind, &contender.mkfs, options(&mount))
        };
        if all.iter().any(is_it) {
            continue;
        }
        let label = free_label(&contender.label, option, &all);
        notes.push(format!(
            "`{label}` was added: direct I/O on `{}` goes through the page cache, and with `{option}` it does not",
            contender.label
        ));
        let place = all.iter().position(|other| other.label == contender.label).map_or(all.len(), |place| place + 1);
        all.insert(place, Contender { label, mount, ..contender });
    }
    (all, notes)
}

/// `mount` with `option`, which replaces an option of the same name.
fn with_option(mount: &str, option: &str) -> String {
    let name = |option: &str| option.split('=').next().map(str::to_owned);
    let others = mount.split(',').filter(|other| !other.is_empty() && name(other) != name(option));
    others.chain([option]).collect::<Vec<_>>().join(",")
}

fn options(mount: &str) -> BTreeSet<&str> {
    mount.split(',').filter(|option| !option.is_empty()).collect()
}

/// A label such as `btrfs-nodatasum`, of characters that are valid before `=`; a number is appended if the label is
/// taken.
fn free_label(label: &Label, option: &str, taken: &[Contender]) -> Label {
    let plain = |letter: char| if letter.is_ascii_alphanumeric() || "._-".contains(letter) { letter } else { '-' };
    let wanted: String = format!("{label}-{option}").chars().map(plain).collect();
    let numbered = (2..).map(|number| format!("{wanted}-{number}"));
    let is_free = |label: &String| taken.iter().all(|other| other.label.0 != *label);
    Label(std::iter::once(wanted.clone()).chain(numbered).find(is_free).expect("one of endlessly many is free"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled(arguments: &[&str]) -> Vec<String> {
        let named = arguments.iter().map(|text| text.parse().expect("well spelled")).collect();
        let (all, notes) = with_direct(named);
        assert_eq!(notes.len(), all.len() - arguments.len());
        all.iter().map(|contender| contender.spelling().expect("no mkfs options")).collect()
    }

    #[test]
    fn the_added_contender_with_direct_io_follows_its_original() {
        assert_eq!(spelled(&["btrfs", "ext4"]), ["btrfs", "btrfs-nodatasum=btrfs:nodatasum", "ext4"]);
        assert_eq!(
            spelled(&["b=btrfs:noatime", "ext4:data=journal,noatime"]),
            [
                "b=btrfs:noatime",
                "b-nodatasum=btrfs:noatime,nodatasum",
                "ext4:data=journal,noatime",
                "ext4-data-journal-noatime-data-ordered=ext4:noatime,data=ordered"
            ]
        );
    }

    #[test]
    fn contenders_that_exist_or_are_direct_are_not_added() {
        for arguments in [
            &["btrfs", "fast=btrfs:nodatasum"][..],
            &["btrfs:noatime", "x=btrfs:nodatasum,noatime"],
            &["btrfs:nodatacow", "ext4", "xfs", "tmpfs", "dir:/"],
            &["btrfs:compress=zstd"],
        ] {
            assert_eq!(spelled(arguments), arguments);
        }
    }

    #[test]
    fn labels_stay_unique_and_can_be_typed() {
        let all = spelled(&["btrfs", "btrfs-nodatasum=ext4"]);
        assert_eq!(all[1], "btrfs-nodatasum-2=btrfs:nodatasum");
        for argument in all {
            assert_eq!(argument.parse::<Contender>().expect("well spelled").spelling(), Some(argument));
        }
    }
}
