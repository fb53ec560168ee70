//! What results show against themselves: work that was not finished, limited or failed, and places that contradict
//! their labels.

use fsarena_judge::{File, FindingClass, JudgedReason, Judgement, Measured, judge, report, results};
use fsarena_model::{Share, Verdict};
use serde_json::{Value, json};

fn file(label: &str, name: &str, text: &str) -> Vec<Measured> {
    results(&File { label, name, text, is_labelled: true }).expect("well formed")
}

/// Four files each of ext4 and xfs in turn, by the number of the run.
fn in_turn(ext4: impl Fn(u32) -> String, xfs: impl Fn(u32) -> String) -> Judgement {
    let both = |run: u32| {
        let of = |label: &str, text: String| file(label, &format!("{label}-{run}"), &text);
        [of("ext4", ext4(2 * run)), of("xfs", xfs(2 * run + 1))]
    };
    judge(&(0..4).flat_map(both).flatten().collect::<Vec<_>>(), Share(0.05))
}

fn texts(judgement: &Judgement, class: FindingClass) -> String {
    let own = judgement.findings.iter().filter(|finding| finding.class == class);
    own.map(|finding| finding.text.as_str()).collect::<Vec<_>>().join("\n")
}

/// Asserts that no pair is ranked, and that the headline says why.
#[track_caller]
fn assert_unranked(judgement: &Judgement, why: &str) {
    let is_apart = |pair: &fsarena_judge::PairJudgement| {
        (pair.verdict, pair.reason, pair.plain_ratio) == (Verdict::Invalid, JudgedReason::OtherWork, None)
    };
    assert!(judgement.pairs.iter().all(is_apart) && !judgement.pairs.is_empty(), "{:#?}", judgement.pairs);
    let shown = fsarena_report::markdown(report(judgement, "0.0.0")).replace('\\', "");
    let headline = shown.lines().find(|line| line.contains("These results cannot show")).expect("an answer");
    assert!(headline.contains(why), "{headline}");
}

#[track_caller]
fn assert_ranked(judgement: &Judgement) {
    assert_ne!(judgement.pairs[0].verdict, Verdict::Invalid, "{judgement:#?}");
}

/// fio's result of one job of 4 KiB requests; `more` overrides members of the job, `disks` is `disk_util`.
fn fio(time: u32, rate: f64, seconds: f64, options: &Value, more: Value, disks: &Value) -> String {
    let direction = options["rw"].as_str().expect("a direction").trim_start_matches("rand");
    let count = rate * seconds;
    let figures = json!({ "iops": rate + f64::from(time), "bw": 4.0 * rate, "io_bytes": 4096.0 * count,
                          "total_ios": count, "runtime": 1000.0 * seconds });
    let mut job = json!({ "jobname": "t", "groupid": 0, "error": 0, "job options": options, direction: figures,
                          "sync": { "total_ios": count } });
    let members = job.as_object_mut().expect("it is one");
    members.extend(more.as_object().cloned().unwrap_or_default());
    json!({ "fio version": "fio-3.36", "timestamp": 1_700_000_000 + 20 * time, "jobs": [job], "disk_util": disks })
        .to_string()
}

/// The same with ten seconds, without errors and disks.
fn plain(rate: f64, options: &Value) -> impl Fn(u32) -> String {
    move |time| fio(time, rate, 10.0, options, Value::Null, &json!([]))
}

#[test]
fn a_job_that_did_not_do_its_size_is_not_ranked() {
    let options = json!({ "rw": "write", "size": "1g", "fsync": "1" });
    let of = |rate: f64, seconds: f64, options: &'static str| {
        let options: Value = serde_json::from_str(options).expect("JSON");
        move |time| fio(time, rate, seconds, &options, Value::Null, &json!([]))
    };
    let size = r#"{ "rw": "write", "size": "1g", "fsync": "1" }"#;
    let ended = in_turn(of(1000.0, 262.0, size), of(1500.0, 1.0, size));
    assert_unranked(&ended, "ext4 and xfs did not do the same work: amount of work, in 262 s, and 1 s, differ");
    // One of the runs alone.
    let once = |time: u32| if time == 5 { of(1500.0, 2.0, size)(time) } else { of(1500.0, 175.0, size)(time) };
    assert_unranked(&in_turn(of(1000.0, 262.0, size), once), "in 262 s, and 2 to 175 s, differ");
    assert_ranked(&in_turn(of(1000.0, 262.0, size), of(1500.0, 175.0, size)));
    let timed = r#"{ "rw": "write", "runtime": "10s", "time_based": "" }"#;
    assert_ranked(&in_turn(of(1000.0, 10.0, timed), of(1500.0, 10.0, timed)));
    assert_unranked(&in_turn(of(1000.0, 10.0, timed), of(1500.0, 3.0, timed)), "in 10 s, and 3 s, differ");
    // The slower one reached a limit of time before its size.
    let limited = r#"{ "rw": "write", "size": "1g", "runtime": "1m" }"#;
    assert_ranked(&in_turn(of(1000.0, 60.0, limited), of(9000.0, 29.0, limited)));
    assert_eq!(file("a", "a", &plain(10.0, &options)(0))[0].extent.map(|extent| extent.amount), Some(409_600.0));
}

/// sysbench's database test.
fn sysbench(seconds: f64, rate: f64, [ignored, reconnects]: [u32; 2], more: &str) -> String {
    let count = (seconds * rate).round();
    format!(
        "sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)\n\nRunning the test with following options:\nNumber of \
         threads: 4\n{more}\n\nInitializing worker threads...\n\nThreads started!\n\nSQL statistics:\n    queries \
         performed:\n        read:   {}\n        write:  {}\n        other:  {}\n    transactions:  {count}   ({rate} \
         per sec.)\n    ignored errors:  {ignored}   (0.00 per sec.)\n    reconnects:   {reconnects}   (0.00 per \
         sec.)\n\nGeneral statistics:\n    total time:                          {seconds}s\n    total number of \
         events:              {count}\n",
        14.0 * count,
        4.0 * count,
        2.0 * count
    )
}

/// Filebench's output of the personality varmail.
fn filebench(files: u32, megabytes: f64, instances: u32, seconds: u32, rate: f64) -> String {
    format!(
        "Filebench Version 1.5-alpha3\n0.001: Varmail Version 3.0 personality successfully loaded\n0.010: bigfileset \
         populated: {files} files, avg. dir. width = 1000000, avg. dir. depth = 0.5, 0 leafdirs, {megabytes}MB total \
         size\n1.035: Starting {instances} filereader instances\n2.052: Running...\n62.054: Run took {seconds} \
         seconds...\n62.055: IO Summary: {:.0} ops {rate} ops/s 166/166 rd/wr  20.0mb/s 0.3ms/op\n",
        f64::from(seconds) * rate
    )
}

#[test]
fn sets_and_times_of_other_tools_are_work() {
    let of = |files, megabytes, instances, seconds, rate: f64| {
        move |run: u32| filebench(files, megabytes + f64::from(run), instances, seconds, rate + f64::from(run))
    };
    let one = || of(1000, 16_000.0, 1, 60, 1000.0);
    assert_ranked(&in_turn(one(), of(1000, 15_700.0, 1, 61, 1500.0)));
    assert_unranked(
        &in_turn(one(), of(9000, 9.0 * 16_000.0, 1, 60, 1500.0)),
        "bigfileset 1000 files of 16m and 9000 files of 16m differ",
    );
    assert_unranked(&in_turn(one(), of(1000, 1000.0, 1, 60, 1500.0)), "1000 files of 16m and 1000 files of 1m differ");
    assert_unranked(&in_turn(one(), of(1000, 16_000.0, 64, 60, 1500.0)), "filereader instances 1 and 64 differ");
    assert_unranked(&in_turn(one(), of(1000, 16_000.0, 1, 3, 1500.0)), "amount of work, in 60 s, and 3 s, differ");
    let old = "2387: 0.001: FileServer Version 2.2 personality successfully loaded\n2387: 0.027: Fileset bigfileset: \
               10000 files, 0 leafdirs, avg dir width = 20, avg dir depth = 3.1, 1240.757MB\n2387: 1.2: Starting 50 \
               filereaderthread threads\n2387: 61.953: IO Summary: 770274 ops, 12836.612 ops/s, (1167/2334 r/w)\n";
    let rows = file("a", "a", old);
    assert_eq!(rows[0].work["bigfileset"], "10000 files of 128k");
    assert_eq!(rows[0].work["filereaderthread threads"], "50");
    let timed = |seconds: f64, rate: f64| {
        move |run: u32| sysbench(seconds + 0.001 * f64::from(run), rate + f64::from(run), [0, 0], "")
    };
    assert_ranked(&in_turn(timed(60.0, 1000.0), timed(60.0, 1500.0)));
    assert_unranked(&in_turn(timed(600.0, 1000.0), timed(1.0, 1500.0)), "amount of work, in 600 s, and 1 s, differ");
    // A number of events that was given is the same work, however long it takes.
    let counted =
        |rate: f64| move |run: u32| sysbench(10_000.0 / (rate + f64::from(run)), rate + f64::from(run), [0, 0], "");
    assert_ranked(&in_turn(counted(100.0), counted(150.0)));
    let dbench = |seconds: u32, procs: u32| {
        move |run: u32| {
            format!(
                "dbench version 4.00\n\nRunning for {seconds} seconds with load 'client.txt' and minimum warmup 12 \
                 secs\nThroughput 40{run} MB/sec  4 clients  {procs} procs  max_latency=11.3 ms\n"
            )
        }
    };
    assert_unranked(&in_turn(dbench(60, 4), dbench(600, 4)), "time 60 seconds and 600 seconds differ");
    assert_unranked(&in_turn(dbench(60, 4), dbench(60, 2)), "procs 4 and 2 differ");
    let two = dbench(60, 4)(0) + &dbench(600, 4)(1);
    let rows = file("a", "a", &two);
    assert_eq!((rows[0].work["time"].as_str(), rows[1].work["time"].as_str()), ("60 seconds", "600 seconds"));
}

#[test]
fn reads_from_the_device_are_not_those_from_memory() {
    let served = |rate: f64, share: f64| {
        move |time| {
            let disks = json!([{ "name": "vda", "read_sectors": share * 4096.0 * rate * 10.0 / 512.0 }]);
            fio(time, rate, 10.0, &json!({ "rw": "randread" }), Value::Null, &disks)
        }
    };
    let apart = in_turn(served(1000.0, 1.2), served(50_000.0, 0.0));
    assert_unranked(&apart, "share of reads that the device served 100 % and 0 % differ");
    assert_ranked(&in_turn(served(1000.0, 1.0), served(1500.0, 0.8)));
    assert_ranked(&in_turn(served(1000.0, 0.0), served(1500.0, 0.0)));
    // Counters of two jobs are of both together, and before 3.36 there are requests only.
    let counted = |rate: f64, seconds: f64, disk: &'static str, jobs: usize| {
        move |time| {
            let text = fio(time, rate, seconds, &json!({ "rw": "randread" }), Value::Null, &json!([]));
            let mut value: Value = serde_json::from_str(&text).expect("JSON");
            let of = |group: usize| {
                let mut job = value["jobs"][0].clone();
                (job["groupid"], job["jobname"]) = (json!(group), json!(format!("t{group}")));
                job
            };
            value["jobs"] = (0..jobs).map(of).collect();
            value["disk_util"] = serde_json::from_str(disk).expect("JSON");
            value.to_string()
        }
    };
    let sectors = [r#"[{ "name": "vda", "read_sectors": 160000 }]"#, r#"[{ "name": "vda", "read_sectors": 0 }]"#];
    let requests = [r#"[{ "name": "vda", "read_ios": 20000 }]"#, r#"[{ "name": "vda", "read_ios": 0 }]"#];
    for [all, none] in [sectors, requests] {
        let apart = in_turn(counted(1000.0, 10.0, all, 2), counted(9000.0, 10.0, none, 2));
        assert_unranked(&apart, "share of reads that the device served 100 % and 0 % differ");
        let cached = texts(&apart, FindingClass::Cached);
        assert!(cached.starts_with("xfs-0, t0; xfs-0, t1; xfs-1, t0 and 5 more: the device served 0 % of"), "{cached}");
    }
    let some = r#"[{ "name": "vda", "read_ios": 5000 }]"#;
    for (seconds, disk) in [(0.5, sectors[1]), (10.0, some)] {
        let unknown = in_turn(counted(1000.0, seconds, disk, 1), counted(900.0, seconds, disk, 1));
        let unknown = texts(&unknown, FindingClass::Cached);
        assert!(unknown.starts_with("all workloads: nothing shows"), "{unknown}");
    }
}

#[test]
fn writes_that_never_reached_the_device_are_not_those_that_did() {
    let got = |options: &'static str, rate: f64, share: f64| {
        let options: Value = serde_json::from_str(options).expect("JSON");
        move |time| {
            let disks = json!([{ "name": "vda", "write_sectors": share * 4096.0 * rate * 10.0 / 512.0 }]);
            let syncs =
                options["fsync"].as_str().map_or(0.0, |every| 10.0 * rate / every.parse::<f64>().expect("a number"));
            fio(time, rate, 10.0, &options, json!({ "sync": { "total_ios": syncs } }), &disks)
        }
    };
    for options in [
        r#"{ "rw": "randwrite", "fsync": "8" }"#,
        r#"{ "rw": "write", "direct": "1", "end_fsync": "1" }"#,
        r#"{ "rw": "write", "size": "1g", "end_fsync": "1" }"#,
        r#"{ "rw": "randwrite", "sync": "dsync" }"#,
    ] {
        let lost = in_turn(got(options, 1000.0, 1.0), got(options, 9000.0, 0.0));
        assert_unranked(&lost, "synced and not synced");
    }
    let unsynced = r#"{ "rw": "write", "size": "1g" }"#;
    let memory = in_turn(got(unsynced, 1000.0, 1.0), got(unsynced, 9000.0, 0.0));
    assert_unranked(&memory, "share of writes that the device got 100 % and 0 % differ");
    // What is overwritten between two syncs need not be written.
    let periodic = r#"{ "rw": "randwrite", "fsync": "64" }"#;
    assert_ranked(&in_turn(got(periodic, 1000.0, 1.0), got(periodic, 1500.0, 0.02)));
    let at_end = r#"{ "rw": "write", "size": "1m", "end_fsync": "1" }"#;
    assert_ranked(&in_turn(got(at_end, 1000.0, 1.0), got(at_end, 1500.0, 0.03)));
}

#[test]
fn syncs_that_were_not_done_are_other_work() {
    let synced = |rate: f64, share: f64| {
        let syncs = json!({ "sync": { "total_ios": (share * 10.0 * rate / 4.0).floor() } });
        move |time| fio(time, rate, 10.0, &json!({ "rw": "write", "fsync": "4" }), syncs.clone(), &json!([]))
    };
    let apart = in_turn(synced(1000.0, 1.0), synced(2000.0, 0.5));
    assert_unranked(&apart, "share of the syncs asked for that were done 100 % and 50 % differ");
    let few = in_turn(synced(1000.0, 1.0), synced(2000.0, 0.001));
    assert_unranked(&few, "synced and not synced differ");
    assert!(texts(&few, FindingClass::Durability).contains(": too little was synced within"), "{few:?}");
    assert_ranked(&in_turn(synced(1000.0, 1.0), synced(2000.0, 0.9)));
    let sysbench = |asked: &'static str, syncs: f64| {
        move |run: u32| {
            let text = include_str!("work/sysbench-some.txt")
                .replace("Periodic FSYNC enabled, calling fsync() each 100 requests.", asked);
            let (before, after) = text.split_once("fsyncs/s:").expect("it counts them");
            let (_, after) = after.split_once('\n').expect("a line");
            format!("{before}fsyncs/s: {}\n{after}", syncs + f64::from(run) / 100.0)
        }
    };
    for asked in
        ["Calling fsync() after each write operation.", "Periodic FSYNC enabled, calling fsync() each 1 requests."]
    {
        assert_unranked(&in_turn(sysbench(asked, 9000.0), sysbench(asked, 0.5)), "synced and not synced differ");
        assert_unranked(&in_turn(sysbench(asked, 9000.0), sysbench(asked, 1000.0)), "share of the syncs asked for");
    }
}

/// Reads next to writes, with that many syncs.
fn mixed(rate: f64, syncs: u32) -> impl Fn(u32) -> String {
    move |time| {
        let write =
            json!({ "write": { "iops": rate, "io_bytes": 1e9, "total_ios": 244_140 }, "sync": { "total_ios": syncs } });
        fio(time, rate, 10.0, &json!({ "rw": "read", "fsync": "32" }), write, &json!([]))
    }
}

#[test]
fn syncs_are_part_of_the_work_of_reads_next_to_them() {
    let apart = in_turn(mixed(1000.0, 7000), mixed(1500.0, 0));
    let reads = apart.pairs.iter().find(|pair| pair.workload.starts_with("t read")).expect("it was measured");
    assert_eq!((reads.verdict, reads.reason), (Verdict::Invalid, JudgedReason::OtherWork));
    assert!(texts(&apart, FindingClass::Work).contains("writes meanwhile synced and not synced"), "{apart:?}");
    assert_ranked(&in_turn(mixed(1000.0, 7000), mixed(1500.0, 7000)));
    // A job that writes while another one reads.
    let together = |rate: f64, fsync: &'static str| {
        move |time: u32| {
            let job = |name: &str, direction: &str, fsync: &str| {
                json!({ "jobname": name, "groupid": 0, "error": 0, "job options": { "rw": direction, "fsync": fsync },
                        direction: { "iops": rate + f64::from(time), "io_bytes": 1e9 } })
            };
            let jobs = [job("r", "read", "0"), job("w", "write", fsync)];
            json!({ "fio version": "fio-3.36", "timestamp": 1_700_000_000 + time, "jobs": jobs }).to_string()
        }
    };
    assert!(texts(&in_turn(together(1000.0, "1"), together(1500.0, "0")), FindingClass::Work).contains("r read: "));
    let sysbench = |label: &str, syncs: &str| {
        let text = include_str!("outputs/sysbench-ext4.txt").replace("fsyncs/s:", syncs);
        file(label, label, &text).into_iter().filter(|row| row.workload.ends_with("reads")).collect::<Vec<_>>()
    };
    let judgement = judge(&[sysbench("a", "fsyncs/s:"), sysbench("b", "fsyncs/s: 0.00\nwas:")].concat(), Share(0.05));
    assert_unranked(&judgement, "writes meanwhile synced and not synced differ");
}

#[test]
fn data_that_are_missing_or_wrong_are_no_work() {
    let ior = |rate: &'static str, warning: &'static str| {
        move |run: u32| {
            let text = include_str!("work/ior-e.txt").replace("write     ", &format!("{warning}write     {rate}{run}"));
            text.replace("/e/", &format!("/{run}/"))
        }
    };
    for warning in [
        "WARNING: Expected aggregate file size       = 4294967296\n",
        "WARNING: incorrect data on read (4096 errors found).\n",
    ] {
        assert_unranked(&in_turn(ior("1", ""), ior("2", warning)), "it printed `WARNING: ");
    }
    assert_ranked(&in_turn(ior("1", ""), ior("2", "")));
}

#[test]
fn a_limited_rate_is_not_ranked() {
    for (options, why) in [
        (json!({ "rw": "randread", "rate_iops": "1000" }), "limited by rate_iops=1000"),
        (json!({ "rw": "randread", "rate_iops": "1000,50" }), "limited by rate_iops=1000,50"),
        (json!({ "rw": "randwrite", "rate_iops": "90000,1000", "fsync": "1" }), "limited by rate_iops=90000,1000"),
        (json!({ "rw": "randread", "rate": "4m" }), "limited by rate=4m"),
        (json!({ "rw": "randread", "rate_iops": "250", "numjobs": "4" }), "limited by rate_iops=250"),
        (json!({ "rw": "randread", "thinktime": "500" }), "limited by thinktime=500"),
        (json!({ "rw": "randread", "thinktime": "10ms", "thinktime_blocks": "20" }), "limited by thinktime=10ms"),
    ] {
        assert_unranked(&in_turn(plain(1000.0, &options), plain(1000.5, &options)), why);
    }
    for options in [
        json!({ "rw": "randread", "rate_iops": "100000" }),
        json!({ "rw": "randread", "rate": "1g" }),
        json!({ "rw": "randread", "rate_iops": "1000", "numjobs": "4" }),
        json!({ "rw": "randread", "thinktime": "1" }),
    ] {
        assert_ranked(&in_turn(plain(1000.0, &options), plain(1500.0, &options)));
    }
    // A limit of one direction of a mix holds back the other one, and pauses are of both.
    for (options, why) in [
        (json!({ "rw": "randrw", "rate_iops": "1000,90000" }), "limited by rate_iops=1000,90000"),
        (json!({ "rw": "randrw", "thinktime": "80" }), "limited by thinktime=80"),
    ] {
        let mix = |rate: f64| {
            let options = options.clone();
            let of = move |rate: f64| json!({ "iops": rate, "io_bytes": 40_960.0 * rate, "runtime": 10_000 });
            move |time| fio(time, rate, 10.0, &options, json!({ "read": of(1000.0), "write": of(rate) }), &json!([]))
        };
        assert_unranked(&in_turn(mix(420.0), mix(450.0)), why);
    }
    let target = "Target transaction rate: 100/sec";
    let of = |rate: f64| move |run: u32| sysbench(60.0, rate - 0.01 * f64::from(run), [0, 0], target);
    assert_unranked(&in_turn(of(100.0), of(99.9)), "limited by --rate=100");
    assert_ranked(&in_turn(of(50.0), of(60.0)));
    // Events of a test of files are reads, writes and syncs: here 8438 a second, 1945 of them reads.
    let both = include_str!("outputs/sysbench-ext4.txt");
    let one = &both[..both.rfind("sysbench 1.0.20").expect("two runs")];
    let of = |most: u32| {
        let limited = one.replace("threads: 2\n", &format!("threads: 2\nTarget transaction rate: {most}/sec\n"));
        file("ext4", "ext4", &limited)[0].notes.iter().map(|note| note.text.clone()).collect::<Vec<_>>().join("\n")
    };
    assert!(of(8500).contains("limited by --rate=8500"), "{}", of(8500));
    assert!(!of(20_000).contains("limited"), "{}", of(20_000));
}

#[test]
fn failed_operations_are_no_work() {
    let options = json!({ "rw": "randwrite", "fsync": "1", "continue_on_error": "io" });
    let failed = |count: u32| {
        let options = options.clone();
        move |time| fio(time, 5000.0, 10.0, &options, json!({ "total_err": count }), &json!([]))
    };
    assert_unranked(&in_turn(plain(1000.0, &options), failed(48_000)), "48000 of its requests failed");
    assert_ranked(&in_turn(plain(1000.0, &options), failed(0)));
    let various = texts(&in_turn(failed(1), |time| failed(48_000 + time)(time)), FindingClass::Work);
    assert!(various.ends_with(": 1 of its requests failed; 4 more with other figures"), "{various}");
    let short = |time| {
        let mut result: Value = serde_json::from_str(&plain(5000.0, &options)(time)).expect("JSON");
        result["jobs"][0]["write"]["short_ios"] = 50_000.into();
        result.to_string()
    };
    assert_unranked(&in_turn(plain(1000.0, &options), short), "50000 of its requests were short");
    let database = |errors: [u32; 2], rate: f64| move |run: u32| sysbench(60.0, rate + f64::from(run), errors, "");
    assert_unranked(&in_turn(database([0, 0], 100.0), database([54_000, 300], 150.0)), "54300 operations failed");
    assert_ranked(&in_turn(database([3, 0], 100.0), database([9, 0], 150.0)));
    let alert = |run: u32| {
        database([0, 0], 150.0)(run)
            .replace("SQL statistics", "ALERT: error 28 (No space left on device)\nSQL statistics")
    };
    let printed = "it printed `ALERT: error 28 (No space left on device)`";
    assert_unranked(&in_turn(database([0, 0], 100.0), alert), printed);
    let dbench = |failures: &'static str| {
        move |run: u32| format!("{failures}Throughput 40{run} MB/sec  4 clients  4 procs  max_latency=11.3 ms\n")
    };
    let failures = "[1234] open ./clients/client1/P.PPT failed for handle 10003 (No space left on device)\n(1235) ERROR: \
                    handle 10003 was not found\n";
    assert_unranked(&in_turn(dbench(""), dbench(failures)), "2 operations failed");
}

#[test]
fn places_contradict_labels() {
    let at = |name: &'static str, path: &str| {
        let mut options = json!({ "rw": "randread" });
        options[name] = path.into();
        move |time| fio(time, 1000.0, 10.0, &options, Value::Null, &json!([]))
    };
    let identity = |judgement: &Judgement| texts(judgement, FindingClass::Identity);
    let same = in_turn(at("filename", "/mnt/ext4/file"), at("filename", "/mnt/ext4/file"));
    assert!(identity(&same).starts_with("all 8 results record ext4, also the 4 called xfs"), "{}", identity(&same));
    assert_eq!(same.pairs[0].reason, JudgedReason::Identity);
    let right = in_turn(at("directory", "/mnt/ext4"), at("directory", "/mnt/nfs/xfs-2"));
    assert_eq!(right.pairs[0].reason, JudgedReason::None);
    let assumed = "records which file system it ran on: that it is the one of its label is only assumed";
    assert_eq!(identity(&right), format!("no result of xfs {assumed}"), "its path names two");
    assert_eq!(identity(&in_turn(at("directory", "/mnt/ext4"), at("directory", "/run/media/xfs"))), "");
    for memory in ["/dev/shm", "/dev/shm/x", "/run/x"] {
        assert!(identity(&in_turn(at("directory", "/mnt/ext4"), at("filename", memory))).contains("records tmpfs"));
    }
    assert!(identity(&in_turn(at("filename", "/a"), at("filename", "xfs"))).starts_with("no result records"));
    let device = in_turn(at("directory", "/mnt/ext4"), at("filename", "/dev/sda"));
    assert_unranked(&device, "it used /dev/sda itself, and no file system");
    assert_ranked(&in_turn(at("directory", "/mnt/ext4"), at("directory", "/dev/shm/xfs")));
    let null = json!({ "rw": "randread", "ioengine": "null" });
    assert_unranked(&in_turn(plain(1000.0, &null), plain(1500.0, &null)), "ioengine=null does no I/O");
    let command = |command: &str| json!({ "results": [{ "command": command, "times": [1.0, 1.1] }] }).to_string();
    let hyperfine = command("cp -r /mnt/ext4/a /mnt/ext4/b");
    let folder = command("tar xf /src/xfs.tar -C /mnt/ext4");
    let repository = command("git clone /src/xfs.git /mnt/ext4/");
    let device = command("dd if=/mnt/ext4/file of=/dev/null");
    let bonnie = include_str!("work/bonnie-slow.csv").replace(",h1,", ",ext4,");
    // Paths of what a command reads, or of a report, are not where the work is.
    let summary = include_str!("outputs/ior.txt").replace("-o /tmp", "-O summaryFile=/nfs/out -o /tmp");
    let summary = summary.replace("mnt/ext4", "mnt/a");
    let workbook = include_str!("outputs/iozone-ext4.txt").replace("-f /tmp", "-b /nfs/out.xls -f /tmp");
    let workbook = workbook.replace("mnt/ext4", "mnt/a");
    for text in [
        &command("tar xf /nfs/src/linux.tar -C /srv/dut/x"),
        &command("cp -r /mnt/ext4/a /srv/nfs/b"),
        &command("true"),
        &summary,
        &workbook,
    ] {
        assert_eq!(file("xfs", "xfs", text)[0].recorded, None, "{text}");
    }
    for text in [
        include_str!("outputs/ior.txt"),
        include_str!("outputs/ior.json"),
        include_str!("outputs/mdtest-verbose.txt"),
        include_str!("outputs/iozone-ext4.txt"),
        &hyperfine,
        &folder,
        &repository,
        &device,
        &bonnie,
    ] {
        assert_eq!(file("xfs", "xfs", text)[0].recorded.as_deref(), Some("ext4"), "{text}");
    }
}

#[test]
fn other_disks_are_a_condition() {
    let on = |rate: f64, name: &'static str| {
        move |time| {
            let disks = json!([{ "name": "dm-0", "aggr_read_ios": 1 }, { "name": name }]);
            fio(time, rate, 10.0, &json!({ "rw": "randread" }), Value::Null, &disks)
        }
    };
    let apart = in_turn(on(1000.0, "sda"), on(1500.0, "nvme0n1"));
    let confounded = texts(&apart, FindingClass::Confounded);
    assert_eq!(confounded, "besides the contender, these differ: disk (ext4: sda, xfs: nvme0n1)");
    let pair = &apart.pairs[0];
    assert_eq!((pair.verdict, pair.reason, pair.estimate.ratio), (Verdict::Undecided, JudgedReason::Confounded, None));
    let shown = fsarena_report::markdown(report(&apart, "0.0.0"));
    assert!(shown.contains("do not show which contender is faster. Confounded: besides"), "{shown}");
    assert_eq!(texts(&in_turn(on(1000.0, "sda"), on(1500.0, "sda")), FindingClass::Confounded), "");
    // A layer of one of them is a condition, unless its label names it.
    let plain = |time| fio(time, 1500.0, 10.0, &json!({ "rw": "randread" }), Value::Null, &json!([{ "name": "sda" }]));
    let layered = in_turn(on(1000.0, "sda"), plain);
    let confounded = texts(&layered, FindingClass::Confounded);
    assert_eq!(confounded, "besides the contender, these differ: layers on the disk (ext4: dm, xfs: none)");
    let conditions = |label: &str| file(label, "a", &on(1000.0, "sda")(0))[0].conditions.len();
    assert_eq!(["ext4", "ext4-luks", "xfs_lvm2", "new"].map(conditions), [3, 2, 2, 3]);
}
