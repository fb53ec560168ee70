use fsarena_model::{Name, Workload};

use super::super::jobs;
use super::*;

fn file(text: &str) -> JobFile {
    JobFile::parse("job.fio", text, &|_| None).expect("a job file")
}

fn stated(text: &str) -> Workload {
    jobs::workload(Name::from_text("x"), &file(text), &[])
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
    assert_eq!((workload.cache, workload.durable), (CacheState::Warm, DurablePoint::OSync));
    assert_eq!(direct_block(&one), Some(Bytes(512)));
}

#[test]
fn every_option_that_moves_direct_io_off_the_sectors_is_found() {
    let block = |lines: &str| direct_block(&file(&format!("[a]\nrw=randrw\ndirect=1\n{lines}\n")));
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
        assert_eq!(block(lines), Some(Bytes(unit)), "{lines}");
    }
    for lines in ["", "bs=512\nbs=4k", "bs=64k\noffset=1m", "bs=4k\nrw=randread:8", "bssplit=4k/10:64k", "offset=20%"] {
        assert_eq!(block(lines), Some(Bytes(4096)), "{lines}");
    }
}

#[test]
fn a_job_takes_its_time_or_its_amount() {
    for (lines, seconds) in [
        ("size=1500m\nloops=1000\nnumjobs=2", 2097.152),
        ("size=1500m\nio_size=1t", 733.0),
        ("filesize=1500m\nnrfiles=8", 8.389),
        ("size=64m\nbs=64k\nrate=1m\nnumjobs=4", 64.0),
        ("size=4m\nrate_iops=1", 1024.0),
        ("size=4m\nruntime=60", 0.0028),
        ("size=4m\nruntime=60\ntime_based\nramp_time=5", 65.0),
        ("size=4m\ntime_based", 0.0028),
        ("size=4m\nloops=999999999999\nnumjobs=999999999999", 18_446_744_073.7),
    ] {
        let found = lasts(&file(&format!("[a]\nrw=write\n{lines}\n"))).as_seconds();
        assert!((found - seconds).abs() < 0.001 * seconds.max(0.1), "{found} for {lines}");
    }
    let both = file(include_str!("../../../tests/fio/jobs/side-by-side.fio"));
    assert_eq!(lasts(&both), Nanos::seconds(10), "side by side");
    let text = "[global]\ntime_based\n[a]\nruntime=10\n[b]\nstonewall\nruntime=2m\nramp_time=5\n";
    assert_eq!(lasts(&file(text)), Nanos::seconds(135));
}
