//! Compares RC4 and CRC-32 with published reference values, and reads an encrypted file back by its layout alone.

use std::fs;
use std::sync::atomic::AtomicBool;

use super::{Encryption, Rc4, milliseconds};
use fsarena_engine::{Job, Limit, Operation, RunStats, Upkeep};

fn stream(key: &[u8], skipped: usize) -> [u8; 16] {
    let mut bytes = [0; 16];
    let mut stream = Rc4::new(key);
    stream.skip(skipped);
    stream.apply(&mut bytes);
    bytes
}

/// RFC 6229, keys of 40 and 128 bits.
#[test]
fn the_key_stream_is_that_of_the_rfc() {
    let short = [1, 2, 3, 4, 5];
    let long: Vec<u8> = (1..=16).collect();
    let hex = |bytes: [u8; 16]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    assert_eq!(hex(stream(&short, 0)), "b2396305f03dc027ccc3524a0a1118a8");
    assert_eq!(hex(stream(&short, 240)), "28cb1132c96ce286421dcaadb8b69eae");
    assert_eq!(hex(stream(&long, 0)), "9ac7cc9a609d1ef7b2932899cde41b97");
    assert_eq!(hex(stream(&long, 4096)), "a36a4c301ae8ac13610ccbc12256cacc");
}

/// CRC-32 as in ISO 3309, computed bit by bit.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0_u32, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| if crc & 1 == 1 { (crc >> 1) ^ 0xEDB8_8320 } else { crc >> 1 })
    })
}

#[test]
fn an_encrypted_file_is_read_again_by_its_layout() {
    assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
    let place = tempfile::tempdir().expect("temporary folder");
    let size = 3 * 4096 + 1234;
    let mut job = Encryption::new(place.path(), size, true, 7);
    let (mut stats, stop) = (RunStats::new(), AtomicBool::new(false));
    job.upkeep(Upkeep::Prepare, &fsarena_engine::NEVER).expect("written");
    for _ in 0..2 {
        job.upkeep(Upkeep::Reset, &fsarena_engine::NEVER).expect("removed");
        job.run(&Limit::new(None, &stop), &mut stats).expect("encrypted");
    }
    assert_eq!((stats.operations, stats.bytes), (2, 2 * size));
    assert_eq!(stats.latency(Operation::Fsync).map(|latency| latency.count), Some(2));
    let (input, output) = (place.path().join("encryptfile"), place.path().join("encryptfile.bork"));
    let (plain, mut bytes) = (fs::read(&input).expect("read"), fs::read(&output).expect("read"));
    assert_eq!(bytes[..12], *b"bork\x04\x02\x03\xe8\x03RC4");
    assert_ne!(bytes[12..16], [0; 4], "the checksum's place is filled");
    let mut stream = Rc4::new(b"phoronixtestsuite123encryptfile");
    stream.skip(256);
    stream.apply(&mut bytes[12..]);
    assert_eq!(bytes[12..16], crc32(&[b"\x0bencryptfile", &plain[..]].concat()).to_be_bytes());
    assert_eq!(bytes[16..28], *b"\x0bencryptfile");
    assert_eq!(bytes.len() as u64, 28 + size);
    assert!(bytes[28..] == plain[..]);
    let [of_input, of_output] = [input, output].map(|path| fs::metadata(path).expect("there"));
    assert_eq!(
        milliseconds(&of_input).expect("known"),
        of_output.modified().expect("known").duration_since(std::time::UNIX_EPOCH).expect("later")
    );
}

#[test]
fn its_file_is_not_written_after_the_stop_flag() {
    let place = tempfile::tempdir().expect("temporary folder");
    let mut job = Encryption::new(place.path(), 1 << 20, false, 7);
    assert!(job.upkeep(Upkeep::Prepare, &AtomicBool::new(true)).is_err());
    assert!(fs::read(place.path().join("encryptfile")).is_ok_and(|content| content.is_empty()));
}
