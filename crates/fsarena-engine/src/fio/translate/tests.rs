use fsarena_model::Name;
use serde_json::json;

use super::*;

fn job(text: &str) -> Section {
    let file = JobFile::parse("job.fio", text, &|name| (name == "SIZE").then(|| "64m".to_owned())).expect("a job file");
    file.sections.last().expect("a job").clone()
}

fn native(text: &str) -> Native {
    natively(&Name::from_text("job"), &job(text)).unwrap_or_else(|why| panic!("{why}: {text}"))
}

#[test]
fn a_random_read_is_one_natively_in_slices() {
    let Native { workload, remarks } = native(include_str!("../../../tests/fio/jobs/4k-randread.fio"));
    assert_eq!((workload.mode, workload.slices, workload.timed_ms), (Mode::Sliced, 4, 15_000));
    assert_eq!(
        (workload.cache, workload.durable, workload.metric.unit.as_str()),
        (CacheState::Direct, DurablePoint::None, "IOPS")
    );
    let expected = json!({
        "operation": "read", "pattern": "random", "block-size": 4096, "file-size": 1u64 << 30, "files": 1,
        "target": "existing", "processes": 4, "calls": "io-uring", "depth": 64, "distribution": "uniform",
        "compressible-percent": 0, "duplicated-percent": 0,
    });
    assert_eq!(workload.parameters, expected);
    assert!(remarks.iter().any(|remark| remark.contains("libaio is io_uring")), "{remarks:?}");
    assert!(remarks.iter().any(|remark| remark.contains("`gtod_reduce` is without effect")), "{remarks:?}");
}

#[test]
fn typical_jobs_run_natively() {
    let mix = native(include_str!("../../../tests/fio/jobs/database-mix.fio")).workload;
    assert_eq!(
        (&mix.parameters["read-percent"], &mix.parameters["skew"], &mix.parameters["threads"]),
        (&json!(70), &json!(1.1), &json!(2))
    );
    let log = native(include_str!("../../../tests/fio/jobs/log.fio")).workload;
    assert_eq!((log.durable, log.mode, &log.parameters["sync-every"]), (DurablePoint::Fsync, Mode::Whole, &json!(1)));
    assert_eq!((&log.parameters["target"], &log.parameters["preallocate"]), (&json!("new"), &json!("none")));
    let pages = native(include_str!("../../../tests/fio/jobs/page-writer.fio")).workload;
    assert_eq!((pages.durable, pages.mode, pages.timed_ms), (DurablePoint::ODsync, Mode::Sliced, 5000));
    let open = native(include_str!("../../../tests/fio/jobs/open-loop.fio")).workload;
    assert_eq!((&open.parameters["rate"], &open.parameters["arrivals"]), (&json!(1000.0), &json!("poisson")));
    let scan = native(include_str!("../../../tests/fio/jobs/buffered-scan.fio")).workload;
    assert_eq!((scan.cache, scan.mode, scan.metric.unit.as_str()), (CacheState::Cold, Mode::Whole, "MiB/s"));
    let read = native(include_str!("../../../tests/fio/jobs/sequential-pair.fio")).workload;
    assert_eq!((read.mode, &read.parameters["operation"]), (Mode::Whole, &json!("read")));
}

#[test]
fn the_kernel_gets_the_pattern_as_from_fio() {
    let advised = |more: &str| {
        let native = native(&format!("[x]\nrw=randread\nsize=1m\n{more}"));
        native.workload.parameters.get("advise").and_then(serde_json::Value::as_bool)
    };
    assert_eq!(
        (advised(""), advised("fadvise_hint=1\n"), advised("fadvise_hint=random\n")),
        (Some(true), Some(true), Some(true))
    );
    assert_eq!((advised("fadvise_hint=0\n"), advised("direct=1\n"), advised("ioengine=mmap\n")), (None, None, None));
}

#[test]
fn unsynced_buffered_work_is_whole() {
    let text = "[x]\nrw=randwrite\nsize=1m\noverwrite=1\nruntime=10\ntime_based\nnorandommap\n";
    assert_eq!(native(text).workload.mode, Mode::Whole);
    assert_eq!(native(&format!("{text}direct=1\n")).workload.mode, Mode::Sliced);
    assert_eq!(native(&format!("{text}fsync=1\n")).workload.mode, Mode::Sliced);
    assert_eq!(native(&format!("{text}fsync=32\n")).workload.mode, Mode::Whole);
    assert_eq!(native(&format!("{text}end_fsync=1\n")).workload.mode, Mode::Whole);
}

#[test]
fn a_random_job_ends_when_it_has_carried_its_size() {
    let workload = native("[x]\nrw=randread\nsize=1m\ndirect=1\n").workload;
    assert_eq!(
        (&workload.parameters["bytes"], &workload.parameters["distribution"]),
        (&json!(1 << 20), &json!("once"))
    );
}

#[test]
fn a_distribution_without_a_number_has_that_of_fio() {
    for (name, skew) in [("zipf", 1.1), ("zipf:0.9", 0.9), ("pareto", 0.2)] {
        let text = format!("[x]\nrw=randread\nsize=1m\ndirect=1\nrandom_distribution={name}\n");
        assert_eq!(native(&text).workload.parameters["skew"], json!(skew), "{name}");
    }
}

#[test]
fn a_job_through_fio_has_its_reason() {
    let table = [
        (include_str!("../../../tests/fio/jobs/fresh-randwrite.fio"), "`overwrite=1`"),
        (include_str!("../../../tests/fio/jobs/verify.fio"), "option `verify`"),
        ("[x]\nrw=read\nsize=1m\nzonemode=strided\n", "option `zonemode`"),
        ("[x]\nrw=trim\nsize=1m\n", "`rw=trim`"),
        ("[x]\nrw=randread\nsize=1m\nfadvise_hint=sequential\n", "`fadvise_hint=sequential`"),
        ("[x]\nrw=randread\nsize=1m\nbs=4k,8k\n", "`bs=4k,8k`"),
        ("[x]\nrw=randread\nsize=1m\nbsrange=4k-8k\n", "blocks have one size"),
        ("[x]\nrw=randread\nsize=1m\nloops=3\n", "option `loops`"),
        ("[x]\nrw=randread\nsize=1m\nramp_time=3\n", "option `ramp_time`"),
        ("[x]\nrw=randread\nsize=1m\nrandom_distribution=zoned:50/50\n", "`random_distribution="),
        ("[x]\nrw=write\nsize=1m\ntime_based\nruntime=3\n", "`time_based`"),
        ("[x]\nrw=read\nsize=1m\nnrfiles=4\n", "`nrfiles`"),
        ("[x]\nrw=read\nsize=1m\nioengine=splice\n", "`ioengine=splice`"),
        ("[x]\nrw=randrw\nsize=1m\n", "`invalidate`"),
        ("[x]\nrw=randread\nsize=1m\nioengine=libaio\niodepth=8\n", "`ioengine=libaio`"),
        ("[x]\nrw=write\nsize=1m\nbs=3000\n", "`file-size`"),
        ("[x]\nrw=write\nsize=1m\nioengine=io_uring\niodepth=8\nfsync=8\n", "`iodepth`"),
    ];
    for (text, word) in table {
        let why = natively(&Name::from_text("job"), &job(text))
            .err()
            .unwrap_or_else(|| panic!("it has to go through fio: {text}"));
        assert!(why.contains(word), "{word} in {why}");
    }
}

#[test]
fn a_whole_file_is_direct_if_every_job_is() {
    let file = |text| JobFile::parse("job.fio", text, &|_| None).expect("a job file");
    let both = file(include_str!("../../../tests/fio/jobs/side-by-side.fio"));
    assert_eq!(
        (as_it_is(Name::from_text("x"), &both).cache, direct_block(&both)),
        (CacheState::Direct, Some(Bytes(4096)))
    );
    let one = file("[a]\ndirect=1\nbs=512\n[b]\nrw=write\nsync=1\n");
    let workload = as_it_is(Name::from_text("x"), &one);
    assert_eq!((workload.cache, workload.durable, workload.mode), (CacheState::Warm, DurablePoint::OSync, Mode::Whole));
    assert_eq!(direct_block(&one), Some(Bytes(512)));
    assert_eq!(lasts(&both), Nanos::seconds(10), "side by side");
    assert_eq!(lasts(&file("[a]\nruntime=10\n[b]\nstonewall\nruntime=2m\nramp_time=5\n")), Nanos::seconds(135));
}

#[test]
fn every_option_that_moves_direct_io_off_the_sectors_is_found() {
    let file = |lines: &str| {
        JobFile::parse("job.fio", &format!("[a]\nrw=randrw\ndirect=1\n{lines}\n"), &|_| None).expect("a job file")
    };
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
        let found = unaligned(&file, Bytes(4096)).unwrap_or_else(|| panic!("{lines}"));
        assert!(lines.contains(found.value.as_deref().unwrap_or("bs_unaligned")), "{lines}");
    }
    for lines in ["", "bs=512\nbs=4k", "bs=64k\noffset=1m", "bs=4k\nrw=randread:8", "bssplit=4k/10:64k", "offset=20%"] {
        assert_eq!(
            (direct_block(&file(lines)), unaligned(&file(lines), Bytes(4096))),
            (Some(Bytes(4096)), None),
            "{lines}"
        );
    }
}
