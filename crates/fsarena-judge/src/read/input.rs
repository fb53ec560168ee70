//! The bytes of a file as the text that all readers see: unpacked, in UTF-8, with a line feed at the end of each line.

use std::io::Read;

use flate2::read::MultiGzDecoder;

use super::ReadError;

/// The first bytes of a gzip member (RFC 1952).
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// Forms that are not unpacked here: the place and the value of the bytes that mark them, and the program that unpacks.
const PACKED: [(usize, &[u8], &str); 5] = [
    (0, b"\xfd7zXZ\0", "xz -d"),
    (0, b"\x28\xb5\x2f\xfd", "zstd -d"),
    (0, b"BZh", "bzip2 -d"),
    (0, b"PK\x03\x04", "unzip"),
    (257, b"ustar", "tar -xf"),
];

/// The text of a file: gzip is unpacked, UTF-16 and UTF-8 are decoded, and CR LF and CR, which ends progress lines,
/// become line feeds. Bytes that are no UTF-8 count as Latin-1, since programs print names of machines and paths in any
/// encoding, and different names have to stay different.
///
/// # Errors
/// [`ReadError::Empty`], [`ReadError::Packed`], or [`ReadError::Malformed`] if its gzip data are damaged.
pub fn text(name: &str, bytes: Vec<u8>) -> Result<String, ReadError> {
    let text = decoded(unpacked(name, bytes)?);
    if text.trim_matches(|letter: char| letter.is_whitespace() || letter == '\0').is_empty() {
        return Err(ReadError::Empty { name: name.to_owned() });
    }
    Ok(if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text })
}

fn unpacked(name: &str, bytes: Vec<u8>) -> Result<Vec<u8>, ReadError> {
    let bytes = match bytes.starts_with(&GZIP) {
        true => {
            let mut plain = Vec::new();
            let read = MultiGzDecoder::new(&bytes[..]).read_to_end(&mut plain);
            read.map_err(|error| ReadError::malformed(name, format!("its gzip data are damaged: {error}")))?;
            plain
        }
        false => bytes,
    };
    let is_marked =
        |(place, mark, _): &&(usize, &[u8], &str)| bytes.get(*place..).is_some_and(|it| it.starts_with(mark));
    match PACKED.iter().find(is_marked) {
        Some((_, _, program)) => Err(ReadError::Packed { name: name.to_owned(), program }),
        None => Ok(bytes),
    }
}

fn decoded(mut bytes: Vec<u8>) -> String {
    let utf16 = |bytes: &[u8], unit: fn([u8; 2]) -> u16| {
        let units = bytes.as_chunks().0.iter().map(|pair| unit(*pair));
        char::decode_utf16(units).map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
    };
    match &bytes[..] {
        [0xff, 0xfe, rest @ ..] => return utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => return utf16(rest, u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, ..] => drop(bytes.drain(..3)),
        // Without a mark, the first letters show it, which are of ASCII in results.
        [1..=255, 0, 1..=255, 0, ..] => return utf16(&bytes, u16::from_le_bytes),
        [0, 1..=255, 0, 1..=255, ..] => return utf16(&bytes, u16::from_be_bytes),
        _ => {}
    }
    String::from_utf8(bytes).unwrap_or_else(|error| {
        let latin = |bytes: &[u8]| bytes.iter().copied().map(char::from).collect::<String>();
        error.as_bytes().utf8_chunks().map(|chunk| chunk.valid().to_owned() + &latin(chunk.invalid())).collect()
    })
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
    fn encodings_and_line_ends_become_one() {
        let of = |text: &str, bytes: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(bytes).collect::<Vec<u8>>();
        let same = "é 😀\nb\n";
        for bytes in [
            same.as_bytes().to_vec(),
            "\u{feff}é 😀\r\nb\r\n".as_bytes().to_vec(),
            of("\u{feff}é 😀\nb\n", u16::to_le_bytes),
            of("\u{feff}é 😀\rb\r\n", u16::to_be_bytes),
            gzip("é 😀\r\nb\n".as_bytes()),
            [gzip("é 😀\n".as_bytes()), gzip(b"b\n")].concat(),
            gzip(&of("\u{feff}é 😀\nb\n", u16::to_le_bytes)),
        ] {
            assert_eq!(read(&bytes), Ok(same.to_owned()), "{bytes:?}");
        }
        assert_eq!(
            [read(b"caf\xe9"), read(b"\xc3\xa9 caf\xe9")],
            ["café", "é café"].map(|it| Ok(it.to_owned())),
            "Latin-1"
        );
        let unmarked = [of("fs,é", u16::to_le_bytes), of("fs,é", u16::to_be_bytes)];
        assert_eq!(unmarked.map(|bytes| read(&bytes)), [Ok("fs,é".to_owned()), Ok("fs,é".to_owned())]);
    }

    #[test]
    fn what_has_no_text_is_refused() {
        for empty in [&b""[..], b" \r\n\t", b"\0\0", b"\xef\xbb\xbf", &gzip(b"")] {
            assert_eq!(read(empty).expect_err("empty").to_string(), "`a` is empty");
        }
        let refused = |bytes: &[u8]| read(bytes).expect_err("refused").hint();
        assert_eq!(refused(b"\x28\xb5\x2f\xfd..."), "unpack it first with `zstd -d`; of packed files judge reads gzip");
        assert!(refused(&gzip(&[&[b'x'; 257][..], b"ustar"].concat())).contains("`tar -xf`"));
        let cut = gzip(b"some text");
        assert!(read(&cut[..cut.len() - 4]).expect_err("cut").to_string().starts_with("a: its gzip data are damaged"));
    }
}
