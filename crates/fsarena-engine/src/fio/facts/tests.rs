use super::*;
use fsarena_model::Mode;

fn file(text: &str) -> JobFile {
    JobFile::parse("job.fio", text, &|_| None).expect("a job file")
}

fn stated(text: &str) -> Workload {
    workload(Name::from_text("x"), Value::Null, &file(text))
}

#[test]
fn reads_begin_cold_unless_the_job_says_otherwise() {
    let scan = stated(include_str!("../../../tests/fio/jobs/buffered-scan.fio"));
    assert_eq!((scan.cache, scan.metric.unit.as_str()), (CacheState::Cold, "MiB/s"));
    for (lines, cache) in [
        ("rw=randread", CacheState::Cold),
        ("rw=randread\ninvalidate=1", CacheState::Cold),
        ("rw=randread\ninvalidate=0", CacheState::Warm),
        ("rw=randread\npre_read=1", CacheState::Warm),
        ("rw=randrw", CacheState::Warm),
        ("rw=write", CacheState::Warm),
        ("rw=randread\ndirect=1", CacheState::Direct),
        ("rw=randread\n[y]\nrw=read\ndirect=1", CacheState::Cold),
        ("rw=randread\n[y]\nrw=write\ndirect=1", CacheState::Warm),
    ] {
        assert_eq!(stated(&format!("[x]\nsize=1m\n{lines}\n")).cache, cache, "{lines}");
    }
}

#[test]
fn durability_is_that_of_the_options_of_writes() {
    for (lines, durable) in [
        ("rw=write\nfsync=1", DurablePoint::Fsync),
        ("rw=write\nend_fsync=1", DurablePoint::Fsync),
        ("rw=write\nfdatasync=8", DurablePoint::Fdatasync),
        ("rw=randwrite\nsync=dsync", DurablePoint::ODsync),
        ("rw=write:4k\nsync", DurablePoint::OSync),
        ("rw=write\nfsync=0\nsync=0", DurablePoint::None),
        ("rw=randread\nfsync=1", DurablePoint::None),
    ] {
        assert_eq!(stated(&format!("[x]\nsize=1m\n{lines}\n")).durable, durable, "{lines}");
    }
}

#[test]
fn a_whole_file_is_direct_if_every_job_is() {
    let both = file(include_str!("../../../tests/fio/jobs/side-by-side.fio"));
    assert_eq!((cache(&both.sections), direct_block(&both)), (CacheState::Direct, Some(Bytes(4096))));
    let text = "[a]\ndirect=1\nbs=512\n[b]\nrw=write\nsync=1\n";
    let (one, workload) = (file(text), stated(text));
    assert_eq!((workload.cache, workload.durable, workload.mode), (CacheState::Warm, DurablePoint::OSync, Mode::Whole));
    assert_eq!(direct_block(&one), Some(Bytes(512)));
}

#[test]
fn every_option_that_moves_direct_io_off_the_sectors_is_found() {
    let file = |lines: &str| file(&format!("[a]\nrw=randrw\ndirect=1\n{lines}\n"));
    for (lines, unit) in [
        ("bs=512", 512),
        ("bs=4k,512", 512),
        ("bsrange=1k-8k", 1024),
        ("bssplit=512/10:4k/90", 512),
        ("bssplit=4k/50:8k/50,2k/100", 2048),
        ("bs=4k\nblockalign=512", 512),
        ("bs=4k\noffset=512", 512),
        ("bs=4k\noffset_increment=6k", 2048),
        ("bs=4k\nrw=write:1k", 1024),
        ("bs=4k\nbs_unaligned", 1),
        ("bs=3000", 8),
    ] {
        let file = file(lines);
        assert_eq!(direct_block(&file), Some(Bytes(unit)), "{lines}");
        let [found] = unaligned(&file, Bytes(4096))[..] else { panic!("{lines}") };
        assert!(lines.contains(found.value.as_deref().unwrap_or("bs_unaligned")), "{lines}");
    }
    for lines in ["", "bs=512\nbs=4k", "bs=64k\noffset=1m", "bs=4k\nrw=randread:8", "bssplit=4k/10:64k", "offset=20%"] {
        assert_eq!(
            (direct_block(&file(lines)), unaligned(&file(lines), Bytes(4096))),
            (Some(Bytes(4096)), Vec::new()),
            "{lines}"
        );
    }
}
