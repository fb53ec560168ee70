//! The archive from which the kernel fills its first file system, in cpio's format `newc`
//! (Documentation/driver-api/early-userspace/buffer-format.rst).

use std::io::{self, Write};

/// File types and permissions of entries.
const DIRECTORY: u32 = 0o040_755;
const REGULAR: u32 = 0o100_755;
const CHARACTER_DEVICE: u32 = 0o020_600;

pub struct Archive<W> {
    writer: W,
    entries: u32,
}

impl<W: Write> Archive<W> {
    pub fn new(writer: W) -> Self {
        Self { writer, entries: 0 }
    }

    /// Adds a directory. Its parent has to be there already.
    pub fn directory(&mut self, name: &str) -> io::Result<()> {
        self.entry(name, DIRECTORY, (0, 0), &[])
    }

    /// Adds an executable file.
    pub fn file(&mut self, name: &str, content: &[u8]) -> io::Result<()> {
        self.entry(name, REGULAR, (0, 0), content)
    }

    pub fn device(&mut self, name: &str, major: u32, minor: u32) -> io::Result<()> {
        self.entry(name, CHARACTER_DEVICE, (major, minor), &[])
    }

    pub fn finish(mut self) -> io::Result<()> {
        self.entry("TRAILER!!!", 0, (0, 0), &[])?;
        self.writer.flush()
    }

    fn entry(&mut self, name: &str, mode: u32, device: (u32, u32), content: &[u8]) -> io::Result<()> {
        self.entries += 1;
        let length = u32::try_from(content.len()).map_err(|_| io::Error::other("the file is too large for cpio"))?;
        let fields = [self.entries, mode, 0, 0, 1, 0, length, 0, 0, device.0, device.1, name.len() as u32 + 1, 0];
        let header: String = fields.iter().map(|field| format!("{field:08X}")).collect();
        let name = format!("070701{header}{name}\0");
        self.padded(name.as_bytes())?;
        self.padded(content)
    }

    /// Names and contents end at multiples of four bytes.
    fn padded(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.writer.write_all(bytes)?;
        self.writer.write_all(&[0; 3][..bytes.len().next_multiple_of(4) - bytes.len()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpio_lists_what_was_added() {
        let mut bytes = Vec::new();
        let mut archive = Archive::new(&mut bytes);
        archive.directory("dev").expect("written");
        archive.device("dev/console", 5, 1).expect("written");
        archive.file("init", b"hello").expect("written");
        archive.finish().expect("written");
        assert_eq!(bytes.len() % 4, 0);
        let text = String::from_utf8_lossy(&bytes);
        assert!(text.starts_with("07070100000001000041ED"), "{}", &text[..22]);
        assert_eq!(text.matches("070701").count(), 4);
        assert!(text.contains(&format!("init\0\0hello\0\0\0{}", "070701")), "{text}");
    }
}
