//! Signatures of file systems, volume managers and partition tables, as blkid(8) finds them.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

use fsarena_sys::child::{self, Patience};

/// Exit code of blkid if it finds nothing, and also if it cannot read: the caller reads the device itself.
const NOTHING: i32 = 2;

/// What blkid reports for a device: names such as `TYPE` and `UUID`, with their values.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tags(Vec<(String, String)>);

impl Tags {
    /// Parses the output of `blkid -o export`.
    pub fn parse(export: &str) -> Self {
        let pairs = export.lines().filter_map(|line| line.split_once('='));
        Self(pairs.map(|(name, value)| (name.to_owned(), value.replace('\\', ""))).collect())
    }

    /// Whether the device has this value for `tag`: `UUID`, `LABEL`, `PARTUUID` or `PARTLABEL` (fstab(5)).
    pub fn has(&self, tag: &str, value: &str) -> bool {
        let name = match tag {
            "PARTUUID" => "PART_ENTRY_UUID",
            "PARTLABEL" => "PART_ENTRY_NAME",
            other => other,
        };
        let is_it = |(found, text): &(String, String)| found == name && text.eq_ignore_ascii_case(value);
        !value.is_empty() && self.0.iter().any(is_it)
    }

    /// Describes the signatures on the device itself; `None` if there are none. A partition's entry in the table is not
    /// one of them.
    pub fn words(&self) -> Option<String> {
        let is_on_it = |(name, _): &&(String, String)| name != "DEVNAME" && !name.starts_with("PART_ENTRY_");
        let found: Vec<&(String, String)> = self.0.iter().filter(is_on_it).collect();
        let telling = found.iter().filter(|(name, _)| ["PTTYPE", "TYPE", "LABEL", "UUID"].contains(&name.as_str()));
        let words: Vec<String> = telling.map(|(name, value)| format!("{name}={value}")).collect();
        let words = if words.is_empty() { "a signature".to_owned() } else { words.join(" ") };
        (!found.is_empty()).then_some(words)
    }
}

pub fn tags(device: &File) -> io::Result<Tags> {
    let path = format!("/proc/{}/fd/{}", std::process::id(), device.as_raw_fd());
    let ended = child::run(&["blkid", "-p", "-o", "export", &path], Patience::query())
        .map_err(|error| io::Error::other(format!("its content cannot be determined: blkid: {error}")))?;
    match ended.status.code() {
        Some(0) => Ok(Tags::parse(&ended.stdout)),
        Some(NOTHING) => Ok(Tags::default()),
        _ => Err(io::Error::other(format!("its content cannot be determined: blkid: {}", ended.words()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_partition_has_nothing_on_it_and_a_table_is_something() {
        assert_eq!(Tags::parse("DEVNAME=/dev/sda1\nPART_ENTRY_SCHEME=gpt\nPART_ENTRY_NUMBER=1\n").words(), None);
        assert_eq!(Tags::parse("DEVNAME=/dev/sda\nPTTYPE=gpt\n").words().as_deref(), Some("PTTYPE=gpt"));
    }
}
