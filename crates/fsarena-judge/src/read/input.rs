//! The bytes of a file as the text that all readers see: unpacked, in UTF-8, with a line feed at the end of each line.

use std::io::Read;

use flate2::read::MultiGzDecoder;

use super::ReadError;

/// The first bytes of a gzip member (RFC 1952).
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The text of a file: gzip is unpacked, bytes that are no UTF-8 are replaced, and CR LF and CR, which ends progress
/// lines, become line feeds.
///
/// # Errors
/// [`ReadError::Empty`], or [`ReadError::Malformed`] if its gzip data are damaged.
pub fn text(name: &str, mut bytes: Vec<u8>) -> Result<String, ReadError> {
    if bytes.starts_with(&GZIP) {
        let mut plain = Vec::new();
        let read = MultiGzDecoder::new(&bytes[..]).read_to_end(&mut plain);
        read.map_err(|error| ReadError::malformed(name, format!("its gzip data are damaged: {error}")))?;
        bytes = plain;
    }
    if bytes.starts_with("\u{feff}".as_bytes()) {
        bytes.drain(.."\u{feff}".len());
    }
    let text = String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    if text.trim_matches(|letter: char| letter.is_whitespace() || letter == '\0').is_empty() {
        return Err(ReadError::Empty { name: name.to_owned() });
    }
    Ok(if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text })
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).expect("to memory");
        encoder.finish().expect("to memory")
    }

    fn read(bytes: &[u8]) -> Result<String, ReadError> {
        text("a", bytes.to_vec())
    }

    #[test]
    fn packings_and_line_ends_become_one() {
        let same = "é 😀\nb\n";
        for bytes in [
            same.as_bytes().to_vec(),
            "\u{feff}é 😀\r\nb\r".as_bytes().to_vec(),
            gzip("é 😀\r\nb\n".as_bytes()),
            [gzip("é 😀\n".as_bytes()), gzip(b"b\n")].concat(),
        ] {
            assert_eq!(read(&bytes), Ok(same.to_owned()), "{bytes:?}");
        }
    }

    #[test]
    fn what_has_no_text_is_refused() {
        for empty in [&b""[..], b" \r\n\t", b"\0\0", b"\xef\xbb\xbf", &gzip(b"")] {
            assert_eq!(read(empty).expect_err("empty").to_string(), "`a` is empty");
        }
        let cut = gzip(b"some text");
        assert!(read(&cut[..cut.len() - 4]).expect_err("cut").to_string().starts_with("a: its gzip data are damaged"));
    }
}
