//! Tables of figures: which direction is better, and cells that are empty or wrong.

use fsarena_judge::{CsvColumns, FindingClass, JudgedReason, Judgement, ReadError, csv, judge};
use fsarena_model::{Better, Share, Verdict};

/// A table that has the columns `fs`, `test`, `vm` and `when`.
fn refused(header: &str, rows: &str) -> ReadError {
    let columns = CsvColumns {
        workload: Some("test".to_owned()),
        host: Some("vm".to_owned()),
        time: Some("when".to_owned()),
        ..CsvColumns::of("fs", "rate")
    };
    csv("c", &format!("{header}\n{rows}\n"), &columns).expect_err("it is refused")
}

#[test]
fn titles_of_times_need_a_direction() {
    let read = |title: &str| csv("c", &format!("fs,{title}\next4,10\nxfs,20\n"), &CsvColumns::of("fs", title));
    for title in [
        "p99_usec", "msec", "nsecs", "p99Usec", "avgMs", "p99us", "minutes", "min", "hours", "hrs", "clat_mean",
        "slat", "await", "rtt", "response", "usecs/op", "p99", "99th", "wall", "Dauer",
    ] {
        let error = read(title).expect_err(title).to_string();
        assert_eq!(error, format!("c: `{title}` is the name of a time, and which direction is better is not given"));
    }
    for title in [
        "iowait",
        "cpu %",
        "used_mb",
        "errors",
        "failure rate",
        "memory MB", // less is better
        "Latenz",
        "Durée",
        "время",
        "时间",
        "wallclock",
        "took",
        "99%",
        "99.9%ile",
        "q99",
        "misses",
        "lag", // unknown
        "p99 latency at fixed rate [ms]",
        "latency at 10k IOPS (us)",
        "lat_us@1000iops",
        "seconds (rate limited)",
        "time to write 1 GB at full speed (s)",
        "p99_us_at_max_throughput",
        "io_rate_ms",
        "status",
        "admin",
    ] {
        let error = read(title).expect_err(title).to_string();
        let expected = format!("c: `{title}` is no clear name of a rate, and which direction is better is not given");
        assert_eq!(error, expected);
    }
    for title in [
        "MBps", "KiBps", "opsPerSec", "files_per_hour", "ops/min", "rate", "score", "MB_s", "ops_sec", "Result",
        "mean value", "v", "read IOPS",
    ] {
        assert_eq!(read(title).expect(title)[0].better, Better::Higher);
    }
}

#[test]
fn units_are_of_times_or_rates_or_need_a_direction() {
    let columns = |better: Option<Better>| CsvColumns { better, ..CsvColumns::of("fs", "v") };
    let read = |unit: &str, better: Option<Better>| {
        csv("c", &format!("fs,v,unit\next4,10,{unit}\nxfs,20,{unit}\n"), &columns(better))
    };
    for unit in ["usec", "msec", "nsec", "minutes", "min", "hours", "µs", "s", "jiffies", "MB", "%"] {
        let refused = read(unit, None).expect_err(unit);
        assert!(refused.to_string().ends_with("and which direction is better is not given"), "{refused}");
        assert_eq!(refused.hint(), "add `--lower`, or `--higher` if higher figures are better");
        assert_eq!(read(unit, Some(Better::Lower)).expect(unit)[0].better, Better::Lower);
    }
    for unit in ["MB/s", "ops/sec", "KiBps", "IOPS", "tps", "qps", "files per second", "ops-per-minute", "1/s", ""] {
        assert_eq!(read(unit, None).expect(unit)[0].better, Better::Higher, "{unit}");
    }
}

#[test]
fn a_table_may_say_which_direction_is_better() {
    use Better::{Higher, Lower};
    let read = |header: &str, cells: &[&str], better: Option<Better>| {
        let rows: String = cells.iter().map(|cell| format!("ext4,{cell},100.2\nxfs,{cell},130.3\n")).collect();
        let columns = CsvColumns { workload: Some("test".to_owned()), better, ..CsvColumns::of("fs", "value") };
        let rows = csv("c", &format!("fs,{header},value\n{rows}"), &columns).map_err(|error| error.to_string())?;
        Ok::<_, String>(rows.into_iter().step_by(2).map(|row| row.better).collect::<Vec<_>>())
    };
    for (header, cells, expected) in [
        ("test,proportion", &["w,LIB", "r,HIB"][..], &[Lower, Higher][..]),
        ("test,better", &["w,lower"], &[Lower]),
        ("test,direction", &["w,Lower Is Better"], &[Lower]),
        ("test,higher_is_better", &["w,false", "r,1"], &[Lower, Higher]),
        ("test,unit", &["w,\"Seconds, Fewer Is Better\"", "r,MB/s"], &[Lower, Higher]),
        ("test", &["SQLite (fewer is better)", "fio"], &[Lower, Higher]),
        ("test,direction", &["w,read", "w,write"], &[Higher, Higher]),
    ] {
        assert_eq!(read(header, cells, None).as_deref(), Ok(expected), "{header}");
    }
    let both = read("test,better", &["r,higher", "w,lower"], Some(Lower));
    assert_eq!(
        both,
        Err("c, row 2: `--lower` and `better higher` contradict each other: which direction is better?".into())
    );
    let memory = read("test", &["memory MB"], None).expect_err("no rate");
    assert!(memory.starts_with("c, row 2: `memory MB` is no clear name of a rate"), "{memory}");
    for title in ["throughput cost (less is better)", "rate(lower is better)", "rate ↓", "score lower is better"] {
        let rows = csv("c", &format!("fs,{title}\next4,1\nxfs,2\n"), &CsvColumns::of("fs", title)).expect(title);
        assert_eq!(rows[0].better, Lower, "{title}");
    }
    for title in ["dropped/s", "context switches/s", "interrupts per second"] {
        let read = csv("c", &format!("fs,{title}\next4,1\nxfs,2\n"), &CsvColumns::of("fs", title));
        assert!(read.is_err(), "{title}");
    }
}

#[test]
fn rows_of_one_time_are_one_run() {
    let rows: String = (0..4).map(|run| format!("ext4,9,10{run}.5\nxfs,9,13{run}.5\n")).collect();
    let judgement = with_columns(&format!("fs,when,rate\n{rows}")).expect("a table");
    let text = "4 rows of ext4 have the same time, so they are one run; leave out `--time` if each is a run";
    assert_eq!(judgement.results, 2);
    assert!(judgement.findings.iter().any(|finding| finding.text.ends_with(text)), "{judgement:?}");
}

#[test]
fn an_empty_cell_is_no_name() {
    let refused = |row: &str| refused("fs,test,vm,when,rate", &format!("ext4,read,a,1,100\n{row}")).to_string();
    assert_eq!(refused(",read,a,1,100"), "c, row 3: it has no `fs`");
    assert_eq!(refused("ext4, ,a,1,100"), "c, row 3: it has no `test`");
    assert_eq!(refused("ext4,read,,1,100"), "c, row 3: it has no `vm`");
    assert_eq!(refused("ext4,read,a,1,"), "c, row 3: it has no `rate`");
    assert_eq!(refused("ext4,read,a,,100"), "c, row 3: `` is no time");
    let wrong = "c, row 3: `2026-13-45T99:99:99` is no time";
    assert_eq!(refused("ext4,read,a,2026-13-45T99:99:99,100"), wrong);
}

#[test]
fn a_header_that_is_missing_has_its_own_hint() {
    let error = refused("ext4,read,a,1,100", "xfs,read,a,2,100");
    assert_eq!(error.to_string(), "c: no column `fs`; it has ext4, read, a, 1, 100");
    assert!(error.hint().starts_with("the first line of a CSV names its columns, each once, and rows follow"));
}

#[test]
fn names_of_figures_in_cells_need_a_direction_too() {
    let read = |text: &str, better: Option<Better>| {
        let columns = CsvColumns { workload: Some("test".to_owned()), better, ..CsvColumns::of("fs", "value") };
        csv("c", text, &columns).map(|rows| rows[0].better).map_err(|error| error.to_string())
    };
    let one = |name: &str| read(&format!("fs,test,value\next4,\"{name}\",10\nxfs,\"{name}\",20\n"), None);
    for name in ["randread p99 latency [us]", "lat_us", "compile time", "p99us", "randread p99"] {
        let why = format!("c, row 2: `{name}` is the name of a time, and which direction is better is not given");
        assert_eq!(one(name), Err(why));
    }
    for name in ["read, 60 s", "read-60s", "randread IOPS", "seq write MB/s", "4k random read", "write 5 min"] {
        assert_eq!(one(name), Ok(Better::Higher), "{name}");
    }
    // A column that was not named, and units that differ.
    let both = "fs,test,metric,value\next4,r,lat_us,10\nxfs,r,lat_us,20\next4,r,iops,9\nxfs,r,iops,8\n";
    let mixed = "fs,test,unit,value\next4,tar,s,10\nxfs,tar,s,20\next4,w,MB/s,9\nxfs,w,MB/s,8\n";
    for (text, names) in [(both, ["lat_us", "iops"]), (mixed, ["s", "MB/s"])] {
        let [time, rate] = names;
        let why = format!(
            "c, row 2: `{time}` is the name of a time, and `{rate}` of a rate: no direction is better for both"
        );
        for better in [None, Some(Better::Lower), Some(Better::Higher)] {
            assert_eq!(read(text, better), Err(why.clone()));
        }
    }
    // A title that names a rate is clear, and so is the name of a rate under a title that names nothing.
    for (title, cell) in [("mib_per_s", "low latency"), ("Durchsatz", "write MB/s")] {
        let columns = CsvColumns { workload: Some("test".to_owned()), ..CsvColumns::of("fs", title) };
        assert!(csv("c", &format!("fs,test,{title}\next4,{cell},10\n"), &columns).is_ok());
    }
    for (header, value) in [("command,mean,stddev,median,user", "mean"), ("command,real,user,sys,more", "real")] {
        let refused = csv("c", &format!("{header}\na,1,2,3,4\n"), &CsvColumns::of("command", value));
        assert!(refused.expect_err(value).to_string().starts_with(&format!("c: `{value}` is the name of a time")));
    }
}

/// The judgement on rows of ext4 and of xfs, which have a further column.
fn further(title: &str, ext4: &[&str], xfs: &[&str]) -> Judgement {
    let row = |name: &str, value: &str, place: usize| format!("{name},\"{value}\",{}.{place}\n", 200 + name.len());
    let rows = |name: &'static str, values: &[&str]| {
        values.iter().enumerate().map(|(place, value)| row(name, value, place)).collect::<String>()
    };
    let text = format!("fs,{title},rate\n{}{}", rows("ext4", ext4), rows("xfs", xfs));
    judge(&csv("c", &text, &CsvColumns::of("fs", "rate")).expect("well formed"), Share(0.05))
}

#[test]
fn what_differs_like_the_contenders_is_never_ranked() {
    for (title, ext4, xfs) in [
        ("threads", &["1", "2", "4"][..], &["8", "16", "32"][..]),
        ("depth", &["QD1", "QD2", "QD4"], &["QD32", "QD64", "QD128"]),
        // Each value once is no repetition.
        ("iodepth", &["1", "2", "4"], &["1", "2", "4"]),
        ("workers", &["1", "2", "3"], &["1", "2", "3"]),
        ("size_mb", &["64", "256", "1024"], &["64", "256", "1024"]),
        ("number of files", &["1000", "2000", "3000"], &["1000", "2000", "3000"]),
        ("rwmix", &["0", "30", "70"], &["0", "30", "70"]),
    ] {
        let pairs = further(title, ext4, xfs).pairs;
        assert!(pairs.iter().all(|pair| pair.estimate.low.is_none() && pair.verdict != Verdict::Faster), "{pairs:?}");
    }
    for (title, ext4, xfs) in [
        ("device", &["/dev/sda"; 3][..], &["/dev/nvme0n1"; 3][..]),
        ("file", &["/data/small.tar"; 3], &["/data/big.tar"; 3]),
        ("kernel", &["6.1"; 3], &["6.12"; 3]),
        ("rw", &["70/30"; 3], &["100/0"; 3]),
        ("block_MiB", &["0.004"; 3], &["1.0"; 3]),
        ("fsync", &["+"; 3], &["-"; 3]),
        ("options", &["defaults,ext4"; 3], &["nobarrier,async"; 3]),
        ("errors", &["0"; 5], &["12", "15", "9", "22", "31"]),
        ("retries", &["8"; 4], &["7"; 4]),
        // Whatever the title, what is the same in all rows was set.
        ("runtime", &["10"; 4], &["600"; 4]),
        ("write_delay", &["0"; 4], &["5"; 4]),
        ("disk rate", &["5400"; 4], &["7200"; 4]),
        ("used", &["0"; 4], &["90"; 4]),
        // Of the machine or of the file system.
        ("disk", &["Samsung 980"; 4], &["WD Black"; 4]),
        ("disk", &["1"; 4], &["2"; 4]),
        ("disk", &["sda1"; 4], &["sdb1"; 4]),
        ("cpu", &["i7-8700"; 4], &["i9-9900"; 4]),
        ("host", &["a"; 4], &["b"; 4]),
        ("mount_opts", &["rw,noatime"; 4], &["rw,noatime,inode64"; 4]),
        ("mkfs options", &["-E lazy_itable_init=0"; 4], &["-m reflink=1"; 4]),
        ("progs", &["e2fsprogs 1.47"; 4], &["xfsprogs 6.1"; 4]),
        ("delay_s", &["0.125"; 4], &["0.135"; 4]),
    ] {
        let judgement = further(title, ext4, xfs);
        let pair = &judgement.pairs[0];
        assert_eq!((pair.verdict, pair.reason), (Verdict::Undecided, JudgedReason::Confounded), "{title}");
        let expected = format!("besides the contender, these differ: {title} (ext4: ");
        let is_it = |text: &str| text.starts_with(&expected);
        let mut found = judgement.findings.iter().filter(|finding| finding.class == FindingClass::Confounded);
        assert!(found.any(|finding| is_it(&finding.text)), "{judgement:?}");
    }
    for (title, ext4, xfs) in [
        ("run", &["1", "2", "3"][..], &["4", "5", "6"][..]),
        ("run", &["10", "20", "50"], &["10", "20", "50"]),
        ("Lauf", &["1", "2", "4"], &["1", "2", "4"]),
        ("rng", &["18244", "92114", "4471"], &["18244", "92114", "4471"]),
        ("seconds", &["32"; 4], &["25", "26", "25", "26"]),
        ("IOPS", &["8"; 4], &["7"; 4]),
        ("lat_ms", &["8"; 4], &["7"; 4]),
        ("cpu_pct", &["8"; 4], &["7"; 4]),
        ("runtime", &["10", "10", "600", "10"], &["10", "10", "600", "10"]),
        ("used_gb", &["4"; 4], &["2"; 4]),
        ("p99_us", &["1204"; 4], &["1188"; 4]),
        ("mean rate", &["1204.5"; 4], &["1188.5"; 4]),
        ("command", &["fio --bs=4k /mnt/ext4/f"; 4], &["fio --bs=4k /mnt/xfs/f"; 4]),
        ("command", &["mkfs.ext4 -F /dev/sdb1"; 4], &["mkfs.xfs -f /dev/sdb1"; 4]),
        ("second", &["0", "61", "120"], &["30", "91", "149"]),
        ("seed", &["18244", "92114", "4471"], &["5521", "77123", "33911"]),
        ("sys", &["15.0", "15.2", "15.0", "15.2"], &["14.1", "13.8", "14.1", "13.8"]),
        ("cpu", &["20", "21", "22", "23"], &["40", "42", "44", "41"]),
        ("iops", &["10231", "10119", "10400"], &["15100", "15203", "15344"]),
        ("p99 us", &["10", "50", "90", "10"], &["200", "500", "300", "200"]),
        ("partition", &["/dev/sda1"; 3], &["/dev/sda2"; 3]),
        ("disk", &["sda1"; 3], &["sda2"; 3]),
        ("disk", &["nvme0n1p1"; 3], &["nvme0n1p2"; 3]),
        ("attempt", &["first", "second", "third"], &["first", "second", "third"]),
        ("mounted", &["/mnt/a"; 3], &["/mnt/b"; 3]),
        ("type", &["ext4"; 3], &["XFS"; 3]),
        ("date", &["31.12.2026"; 3], &["01.01.2027"; 3]),
    ] {
        assert_eq!(further(title, ext4, xfs).pairs[0].reason, JudgedReason::OtherTimes, "{title}");
    }
    // What the contenders share of the machine is compared value by value.
    let disks = further("disk", &["A", "A", "A", "B"], &["A", "B", "B", "B"]);
    let reasons: Vec<_> = disks.pairs.iter().map(|pair| (pair.workload.as_str(), pair.reason)).collect();
    assert_eq!(reasons, ["rate, disk A", "rate, disk B"].map(|name| (name, JudgedReason::NoRepetition)));
    let rows = "ext4,A,100\next4,A,101\next4,A,102\next4,B,50\nxfs,A,103\nxfs,B,51\nxfs,B,52\nxfs,B,53\n";
    let three = with_columns(&format!("fs,disk,rate\n{rows}btrfs,C,70\nbtrfs,C,71\n")).expect("a table");
    assert!(three.pairs.iter().all(|pair| matches!(pair.verdict, Verdict::Undecided | Verdict::Invalid)), "{three:?}");
    let weekdays = further("weekday", &["Mo", "Tu", "We"], &["Mo", "Tu", "We"]);
    let way_out = "c, row 2: each row of a contender has another `weekday`, so each is work of its own, with one run; \
                   leave the column out if it only names the runs";
    assert!(weekdays.findings.iter().any(|finding| finding.text == way_out), "{weekdays:?}");
    // A few single cells do not make a setting the number of a run.
    let mostly = further("threads", &["1", "1", "1", "1", "8"], &["8", "8", "8", "8", "1"]);
    let reasons: Vec<_> = mostly.pairs.iter().map(|pair| (pair.workload.as_str(), pair.reason)).collect();
    assert_eq!(reasons, ["rate, threads 1", "rate, threads 8"].map(|name| (name, JudgedReason::NoRepetition)));
}

#[test]
fn rounding_is_a_step_of_the_clock() {
    let judged = |figures: [&str; 4]| {
        let row = |(place, value): (usize, &&str)| format!("{},{value},{place}\n", ["ext4", "xfs"][place % 2]);
        let text: String = figures.iter().cycle().take(8).enumerate().map(row).collect();
        let columns = CsvColumns {
            time: Some("when".to_owned()),
            better: Some(Better::Lower),
            ..CsvColumns::of("fs", "seconds")
        };
        let judgement = judge(&csv("c", &format!("fs,seconds,when\n{text}"), &columns).expect("table"), Share(0.05));
        (judgement.pairs[0].verdict, judgement.pairs[0].reason)
    };
    assert_eq!(judged(["0.3", "0.4", "0.4", "0.4"]), (Verdict::Undecided, JudgedReason::Clock));
    assert_eq!(judged(["0.301", "0.401", "0.302", "0.4"]), (Verdict::Faster, JudgedReason::None));
    // Zeros that all figures end with are no digits, wherever they are.
    for coarse in [["300", "400", "400", "400"], ["3e2", "4E2", "4e2", "4e2"], ["0.300", "0.400", "0.4", "0.40"]] {
        assert_eq!(judged(coarse), (Verdict::Undecided, JudgedReason::Clock), "{coarse:?}");
    }
    assert_eq!(judged(["300", "400", "303", "400"]), (Verdict::Faster, JudgedReason::None));
}

/// The columns `fs`, `test`, `rate` and `when` of a table without or with some of them.
fn with_columns(text: &str) -> Result<Judgement, ReadError> {
    let header = text.lines().next().unwrap_or_default();
    let maybe = |title: &str| header.contains(title).then(|| title.to_owned());
    let columns = CsvColumns { workload: maybe("test"), time: maybe("when"), ..CsvColumns::of("fs", "rate") };
    csv("c", text, &columns).map(|rows| judge(&rows, Share(0.05)))
}

#[test]
fn figures_under_two_names_are_no_comparison() {
    let table = |ext4: &[f64], xfs: &[f64]| {
        let row = |name: &str, rate: &f64| format!("{name},{rate}\n");
        let rows = |name: &str, rates: &[f64]| rates.iter().map(|rate| row(name, rate)).collect::<String>();
        let judgement = with_columns(&format!("fs,rate\n{}{}", rows("ext4", ext4), rows("xfs", xfs))).expect("a table");
        judgement.pairs[0].reason == JudgedReason::Identity
    };
    assert!(table(&[100.1, 101.2, 99.3], &[101.2, 100.1, 99.3]));
    assert!(table(&[100.1, 101.2, 99.3, 98.4], &[101.2, 100.1, 99.3]), "as far as they go");
    assert!(!table(&[100.1, 101.2, 99.3], &[101.2, 100.1, 99.4]));
    assert!(!table(&[100.1, 101.2, 101.2], &[101.2, 100.1, 101.2]), "two figures");
    assert!(!table(&[12.0, 13.0, 14.0], &[12.0, 13.0, 14.0]), "coarse");
}

#[test]
fn times_of_several_kinds_have_no_order() {
    let read = |times: [&str; 2]| {
        with_columns(&format!("fs,rate,when\next4,100,{}\nxfs,120,{}\n", times[0], times[1])).map(drop)
    };
    let error = read(["2026-01-01 10:00:00", "2026-01-01T11:01:00+01:00"]).expect_err("two zones").to_string();
    let expected = "c: times are not of one kind, so their order is unknown: `2026-01-01 10:00:00` (c, row 2), \
                    `2026-01-01T11:01:00+01:00` (c, row 3)";
    assert_eq!(error, expected);
    assert!(read(["1764000000", "2026-01-01T10:00:00Z"]).is_err());
    // Nor have files in which they differ.
    let rows = |name: &str, zone: &str| {
        let row = |run| format!("{name},10{run},2026-01-01T10:0{run}:00{zone}\n");
        let text = format!("fs,rate,when\n{}", (0..4).map(row).collect::<String>());
        csv(name, &text, &CsvColumns { time: Some("when".to_owned()), ..CsvColumns::of("fs", "rate") })
            .expect("a table")
    };
    let reason = |zone: &str| judge(&[rows("ext4", "Z"), rows("xfs", zone)].concat(), Share(0.05)).pairs[0].reason;
    assert_eq!(["", "+00:00"].map(|zone| reason(zone) == JudgedReason::OtherTimes), [true, false]);
    assert!(read(["1764000000", "12"]).is_ok() && read(["2026-01-01T10:00:00Z", "2026-01-01T10:00:00+01:00"]).is_ok());
}

#[test]
fn names_of_one_workload_are_one_and_summaries_are_no_contenders() {
    let workloads = |ext4: &str, xfs: &str| {
        let rows = (0..3).map(|run| format!("ext4,{ext4},10{run}.5\nxfs,{xfs},13{run}.5\n")).collect::<String>();
        let pairs = with_columns(&format!("fs,test,rate\n{rows}")).expect("a table").pairs;
        pairs.into_iter().map(|pair| pair.workload).collect::<Vec<_>>()
    };
    for (ext4, xfs, name) in [("Seq  Read", "seq read", "Seq  Read"), ("l\u{e4}", "l\u{e4}", "l\u{e4}")] {
        assert_eq!(workloads(ext4, xfs), [name]);
    }
    assert_eq!(workloads("cp -r a", "cp -R a").len(), 2);
    assert_eq!(workloads("tar ext4", "tar ext4"), ["tar ext4"]);
    assert_eq!(further("sync", &["Yes"; 4], &["yes"; 4]).pairs[0].reason, JudgedReason::OtherTimes);
    for (ext4, xfs) in
        [("6.1.0.3", "6.1.3"), ("cp -r /src /mnt/a", "cp -R /src /mnt/b"), ("/bin/fio -a", "/bin/fio -b")]
    {
        assert_ne!(further("what", &[ext4; 4], &[xfs; 4]).pairs[0].reason, JudgedReason::OtherTimes, "{ext4}");
    }
    let averaged = with_columns("fs,rate\next4,100\next4,101\nAverage,100.5\nxfs,130\nxfs,131\nTotal,462\n");
    let averaged = averaged.expect("a table");
    assert_eq!((averaged.contenders.len(), averaged.results), (2, 4));
    let are_left_out = |judgement: &Judgement, names: &str| {
        let text = format!("c, row 2: other rows are called {names}: they are made of others and left out");
        judgement.findings.iter().any(|finding| finding.text == text)
    };
    assert!(are_left_out(&averaged, "Average, Total"));
    let rows = "ext4,1,100\next4,2,101\next4,avg,100.5\nxfs,1,130\nxfs,2,131\nxfs,best,131\n";
    let numbered = with_columns(&format!("fs,run,rate\n{rows}")).expect("a table");
    assert_eq!((numbered.results, numbered.pairs.len(), are_left_out(&numbered, "avg, best")), (4, 1, true));
    // Figures of several kinds, and levels of a setting, are no rows of averages.
    for header in ["fs,kind,rate", "fs,level,rate"] {
        assert_eq!(with_columns(&format!("{header}\n{rows}")).expect("a table").results, 6);
    }
}

#[test]
fn what_is_no_table_has_a_way_out() {
    let columns = CsvColumns { workload: Some("v".to_owned()), ..CsvColumns::of("fs", "v") };
    let refused = |text: &str, columns: &CsvColumns| csv("c", text, columns).expect_err(text);
    assert_eq!(refused("fs,v\next4,1\n", &columns).to_string(), "c: `v` is given as two columns");
    let json = refused("[{\"fs\": \"ext4\", \"v\": 1}]", &CsvColumns::of("fs", "v"));
    assert!(json.to_string().contains("it is JSON") && json.hint().contains("jq -rs"), "{json}");
    let merged = refused("fs,v\next4,1\n,2\n", &CsvColumns::of("fs", "v"));
    assert_eq!(merged.hint(), "fill in the cell, also where several rows shared one");
    for missing in ["n/a", "-"] {
        let error =
            refused(&format!("ext4,xfs\n1,{missing}\n"), &CsvColumns::of_each(vec!["ext4".into(), "xfs".into()]));
        assert!(error.hint().ends_with("leave its cell empty"), "{error}");
    }
}

#[test]
fn contenders_may_have_a_column_each() {
    let columns = |titles: &[&str]| CsvColumns::of_each(titles.iter().map(|title| (*title).to_owned()).collect());
    let named = |titles: &[&str]| CsvColumns { workload: Some("test".to_owned()), ..columns(titles) };
    let text = "test,ext4 MB/s,size,xfs MB/s\nwrite,100,4k,200\nwrite,101,4k,\nread,50,4k,60\n";
    let rows = csv("c", text, &named(&["xfs MB/s", "ext4 MB/s"])).expect("it is read");
    let shown: Vec<String> =
        rows.iter().map(|row| format!("{}: {} {} {}", row.source, row.contender, row.workload, row.value)).collect();
    let expected = [
        "c, row 2, xfs MB/s: xfs MB/s write 200",
        "c, row 2, ext4 MB/s: ext4 MB/s write 100",
        "c, row 3, ext4 MB/s: ext4 MB/s write 101",
        "c, row 4, xfs MB/s: xfs MB/s read 60",
        "c, row 4, ext4 MB/s: ext4 MB/s read 50",
    ];
    assert_eq!(shown, expected);
    assert!(rows.iter().all(|row| row.better == Better::Higher && row.work["size"] == "4k"));
    for (titles, text, why) in [
        (["ext4", "xfs"], "ext4,xfs\n1,2\n", "c: `ext4,xfs` is no clear name of a rate, and which"),
        (["ext4", "btrfs"], "ext4,xfs\n1,2\n", "c: no column `btrfs`; it has ext4, xfs"),
        (["ext4", "xfs"], "ext4,xfs,xfs\n1,2,3\n", "c: two columns `xfs`: ext4, xfs, xfs"),
        (["ext4", "xfs"], "ext4,xfs\n1,2\n1,two\n", "c, row 3, xfs: `two` is no figure"),
    ] {
        let error = csv("c", text, &columns(&titles)).expect_err(text).to_string();
        assert!(error.starts_with(why), "{error}");
    }
}

#[test]
fn blanks_may_separate_fields() {
    let columns = CsvColumns { workload: Some("test".to_owned()), ..CsvColumns::of("fs", "MB/s") };
    let text = "fs     test     MB/s\next4   read    100.5\nxfs    \"seq write\"  99.5  \n";
    let rows = csv("c", text, &columns).expect("a table");
    let shown: Vec<_> = rows.iter().map(|row| (row.contender.as_str(), row.workload.as_str(), row.value)).collect();
    assert_eq!(shown, [("ext4", "read", 100.5), ("xfs", "seq write", 99.5)]);
}
