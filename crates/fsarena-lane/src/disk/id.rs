//! IDs of disks, by which a user gives up their contents: a typing error does not turn one ID into that of another
//! disk.

use std::fs;

use fsarena_model::Bytes;

use super::usage::BlockNode;

/// Model and serial number, with `-partN` for a partition, as `/dev/disk/by-id` has them. Size and path if the disk has
/// no serial number, or another disk has the same name.
pub fn of(node: &BlockNode, size: Bytes) -> String {
    let disk = node.whole().unwrap_or_else(|| node.clone());
    let part = node.partition().map(|number| format!("-part{number}")).unwrap_or_default();
    match hardware(&disk).filter(|id| is_unique(id)) {
        Some(id) => format!("{id}{part}"),
        None => format!("{}:/dev/{}", size.0, node.name().replace('!', "/")),
    }
}

/// Sysfs attributes in which drivers keep a disk's serial number, the most specific first.
const SERIALS: [&str; 7] = ["serial", "device/serial", "device/vpd_pg80", "wwid", "device/wwid", "dm/uuid", "md/uuid"];

fn hardware(disk: &BlockNode) -> Option<String> {
    let serial = SERIALS.iter().find_map(|name| word(&disk.attribute(name)?))?;
    let model = ["device/model", "device/name"].iter().find_map(|name| word(&disk.attribute(name)?));
    Some(model.into_iter().chain([serial]).collect::<Vec<_>>().join("_"))
}

/// Turns a text into one word of printable ASCII characters. The page of a SCSI disk has four bytes before its serial
/// number.
fn word(text: &str) -> Option<String> {
    let plain = |c: char| if c.is_ascii_graphic() { c } else { ' ' };
    let text: String = text.chars().filter(|c| *c != '\0').map(plain).collect();
    let word = text.split_whitespace().collect::<Vec<_>>().join("_");
    (!word.is_empty()).then_some(word)
}

fn is_unique(id: &str) -> bool {
    let names = fs::read_dir("/sys/block").into_iter().flatten().filter_map(Result::ok);
    let disks = names.filter_map(|name| BlockNode::named(&name.file_name().to_string_lossy()));
    disks.filter(|disk| hardware(disk).as_deref() == Some(id)).count() < 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_serial_number_becomes_one_plain_word() {
        assert_eq!(word("\0\u{80}\0\u{14}S3Z9 NB0K  12\n").as_deref(), Some("S3Z9_NB0K_12"));
        assert_eq!(word("a\u{1b}[31mb").as_deref(), Some("a_[31mb"));
        assert_eq!(word(" \0"), None);
    }
}
