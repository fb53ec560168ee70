//! Results of other tools, made up or shortened, and what they can show.

use fsarena_judge::{CsvColumns, File, FindingClass, JudgedReason, Judgement, Measured, ReadError, judge, report};
use fsarena_model::{Share, Verdict};
use serde_json::json;

const MARGIN: Share = Share(0.05);

/// Deviations that follow no order, with a standard deviation of 0.8.
const DEVIATIONS: [f64; 8] = [0.3, -1.1, 0.8, -0.2, 1.2, -0.9, -0.4, 0.3];

fn columns() -> CsvColumns {
    let [contender, time] = ["fs", "when"].map(|title| Some(title.to_owned()));
    let [figures, work] = ["rate", "test"].map(|title| vec![title.to_owned()]);
    CsvColumns { contender, figures, work, time, ..CsvColumns::default() }
}

fn csv(name: &str, text: &str, columns: &CsvColumns) -> Result<Vec<Measured>, ReadError> {
    fsarena_judge::table(&File { label: name, name, text, is_labelled: false }, columns)
}

/// A table of results: contender, time, figure.
fn table(rows: impl IntoIterator<Item = (&'static str, f64, f64)>) -> Vec<Measured> {
    let line = |(name, time, rate): (&str, f64, f64)| format!("{name},write,{time},{rate}\n");
    let text: String = rows.into_iter().map(line).collect();
    csv("rows.csv", &format!("fs,test,when,rate\n{text}"), &columns()).expect("well formed")
}

/// A file that is named as its contender.
fn json(name: &str, text: &str) -> Result<Vec<Measured>, ReadError> {
    fsarena_judge::results(&File { label: name, name, text, is_labelled: false })
}

fn classes(judgement: &Judgement) -> Vec<FindingClass> {
    judgement.findings.iter().map(|finding| finding.class).collect()
}

fn text(judgement: &Judgement, class: FindingClass) -> String {
    let own = judgement.findings.iter().filter(|finding| finding.class == class);
    own.map(|finding| finding.text.as_str()).collect::<Vec<_>>().join("\n")
}

/// Both contenders in turn, so that they overlap in time; the second is better by `ratio`.
fn in_turn(ratio: f64) -> Vec<Measured> {
    let row = |(number, deviation): (usize, f64)| {
        let time = number as f64;
        [("ext4", time, 100.0 + deviation), ("xfs", time + 0.5, ratio * (100.0 - deviation))]
    };
    table(DEVIATIONS.into_iter().enumerate().flat_map(row))
}

#[test]
fn contenders_in_turn_are_decided_by_their_spread() {
    let found = |ratio| {
        let judgement = judge(&in_turn(ratio), MARGIN);
        (judgement.pairs[0].verdict, judgement.pairs[0].reason)
    };
    assert_eq!(found(1.1), (Verdict::Slower, JudgedReason::None));
    assert_eq!(found(1.0), (Verdict::Equivalent, JudgedReason::None));
    assert_eq!(found(1.055), (Verdict::Slower, JudgedReason::None));
    let few = table([("ext4", 0.0, 100.0), ("xfs", 0.5, 108.0), ("ext4", 1.0, 110.0), ("xfs", 1.5, 120.0)]);
    assert_eq!(judge(&few, MARGIN).pairs[0].reason, JudgedReason::Resolution);
}

#[test]
fn contenders_one_after_the_other_are_confounded_with_time() {
    let row = |(number, deviation): (usize, f64)| {
        [("ext4", number as f64, 100.0 + deviation), ("xfs", 100.0 + number as f64, 110.0 - deviation)]
    };
    let judgement = judge(&table(DEVIATIONS.into_iter().enumerate().flat_map(row)), MARGIN);
    assert!(text(&judgement, FindingClass::Confounded).contains("one after the other"), "{judgement:?}");
    let pair = &judgement.pairs[0];
    assert_eq!((pair.verdict, pair.reason), (Verdict::Undecided, JudgedReason::OtherTimes));
    assert!(pair.plain_t.is_some_and(|t| t > 10.0), "a reader would see a winner: {pair:?}");
}

#[test]
fn one_run_each_shows_no_spread_and_unknown_times_no_order() {
    let mut columns = columns();
    columns.time = None;
    let rows = csv("rows.csv", "fs,test,rate\next4,write,100\nxfs,write,140\n", &columns).expect("well formed");
    let judgement = judge(&rows, MARGIN);
    use FindingClass::{Cached, Confounded, Durability, Identity, OneRun};
    assert_eq!(classes(&judgement), [Identity, Confounded, OneRun, Cached, Durability]);
    assert!(text(&judgement, Confounded).contains("order is unknown"));
    assert_eq!(
        (judgement.pairs[0].verdict, judgement.pairs[0].reason),
        (Verdict::Undecided, JudgedReason::NoRepetition)
    );
}

/// Runs as kdevops' Milvus workflow writes them: a host per file system and variant, three runs each, hosts of `late`
/// in a second wave, in which all queries are slower by a fifth.
fn milvus(hosts: &[&str], late: &[&str], recorded: impl Fn(&str) -> String) -> Judgement {
    let mut runs = Vec::new();
    for (index, host) in hosts.iter().enumerate() {
        for run in 0..3 {
            let is_late = late.contains(host);
            let noise = 1.0 + 0.01 * DEVIATIONS[(index + 3 * run) % 8];
            runs.push(json!({
                "_file": format!("results_{host}_{}.json", run + 1),
                "timestamp": format!("2025-08-26T20:{}:{:02}.5", if is_late { 54 } else { 53 }, 9 * run),
                "filesystem": recorded(host),
                "insert_performance": { "vectors_per_second": 7000.0 * noise },
                "query_performance": { "topk_1": { "batch_1": {
                    "queries_per_second": 200.0 * noise * if is_late { 0.8 } else { 1.0 }
                } } },
            }));
        }
    }
    let rows = json("results", &json!({ "raw_results": runs }).to_string()).expect("well formed");
    judge(&rows, MARGIN)
}

const HOSTS: [&str; 7] =
    ["ai-xfs-4k", "ai-xfs-16k", "ai-xfs-64k", "ai-ext4-4k", "ai-ext4-big", "ai-btrfs", "ai-btrfs-dev"];
const LATE: [&str; 3] = ["ai-ext4-big", "ai-btrfs", "ai-btrfs-dev"];

#[test]
fn results_that_record_one_file_system_under_three_names_show_nothing() {
    let judgement = milvus(&HOSTS, &LATE, |_| "btrfs".to_owned());
    assert_eq!((judgement.results, judgement.contenders.len()), (21, 3));
    let identity = text(&judgement, FindingClass::Identity);
    assert!(
        identity.contains("all 21 results record btrfs, also the 6 called ext4 and the 9 called xfs"),
        "{identity}"
    );
    assert!(
        judgement.pairs.iter().all(|pair| pair.verdict == Verdict::Invalid && pair.reason == JudgedReason::Identity)
    );
    let shown = fsarena_report::markdown(report(&judgement, "0.0.0"));
    assert!(shown.contains("These results cannot show which contender is faster. Identity: all 21"), "{shown}");
}

#[test]
fn a_gap_that_goes_with_the_wave_is_not_one_of_the_contenders() {
    let judgement = milvus(&HOSTS, &LATE, |host| host.split('-').nth(1).unwrap_or_default().to_owned());
    let confounded = text(&judgement, FindingClass::Confounded);
    assert!(confounded.contains("each host had one contender only (hosts: btrfs 2, ext4 2, xfs 3)"), "{confounded}");
    assert!(
        confounded.contains("2 waves that do not overlap in time, and no wave has both btrfs and xfs"),
        "{confounded}"
    );
    assert!(confounded.contains("ext4 in topk_1 batch_1 differs from itself by 2"), "{confounded}");
    let query = |a: &str, b: &str| {
        let is_it =
            |pair: &&fsarena_judge::PairJudgement| pair.workload.starts_with("topk") && pair.a == a && pair.b == b;
        judgement.pairs.iter().find(is_it).expect("both were measured")
    };
    let apart = query("btrfs", "xfs");
    assert!(apart.plain_t.is_some_and(|t| t > 5.0) && apart.plain_ratio.is_some_and(|ratio| ratio < 0.85), "{apart:?}");
    assert_eq!((apart.verdict, apart.reason), (Verdict::Undecided, JudgedReason::OtherTimes));
    let together = query("ext4", "xfs");
    assert!(
        together.estimate.ratio.is_some_and(|ratio| (ratio - 1.0).abs() < 0.03),
        "only the wave that both share: {together:?}"
    );
    // In that wave ext4 has one host.
    assert_eq!((together.verdict, together.reason), (Verdict::Undecided, JudgedReason::NoRepetition));
}

#[test]
fn contenders_on_the_same_hosts_are_compared_host_by_host() {
    let mut columns = columns();
    columns.host = Some("vm".to_owned());
    let of = |ratio: fn(usize) -> f64| {
        let mut text = "fs,test,when,rate,vm\n".to_owned();
        for (host, deviation) in DEVIATIONS.iter().enumerate().take(6) {
            // Hosts differ by a factor of six, and runs by a percent.
            for run in 0..3 {
                let rate = 100.0 * (1.0 + host as f64) + deviation + 0.5 * f64::from(run);
                text += &format!("ext4,w,{run},{rate},{host}\nxfs,w,{run}.5,{},{host}\n", rate * ratio(host));
            }
        }
        judge(&csv("rows.csv", &text, &columns).expect("well formed"), MARGIN).pairs[0].clone()
    };
    let better = of(|_| 1.1);
    assert_eq!(better.verdict, Verdict::Slower, "{better:?}");
    assert!(better.plain_t.is_some_and(|t| t < 1.0), "the plain means drown in the hosts: {better:?}");
    let mixed = of(|host| if host.is_multiple_of(2) { 1.3 } else { 0.8 });
    assert_eq!((mixed.verdict, mixed.reason), (Verdict::Undecided, JudgedReason::Resolution), "{mixed:?}");
}

#[test]
fn hyperfine_runs_one_command_after_the_other() {
    let times = |level: f64| DEVIATIONS.map(|deviation| level + 0.01 * deviation).to_vec();
    let result = json!({ "results": [
        { "command": "cp a /ext4", "times": times(2.0), "exit_codes": [0, 0, 0, 0, 0, 0, 0, 0] },
        { "command": "cp a /xfs", "times": times(1.2) },
    ] });
    let judgement = judge(&json("times", &result.to_string()).expect("well formed"), MARGIN);
    assert!(text(&judgement, FindingClass::Confounded).contains("one after the other"));
    assert_eq!((judgement.results, judgement.pairs[0].verdict), (16, Verdict::Slower), "far more than a drift");
    // Files have no dates, so that their times do not show which contenders of two files ran together.
    let day = |name: &str, fs: &str, level: f64| {
        let result = |fs: &str, level| json!({ "command": fs, "times": times(level), "parameters": { "fs": fs } });
        json(name, &json!({ "results": [result(fs, level), result("btrfs", 1.2 * level)] }).to_string()).expect("JSON")
    };
    let days = judge(&[day("1", "ext4", 1.0), day("2", "xfs", 1.1)].concat(), MARGIN);
    let pair = days.pairs.iter().find(|pair| pair.a == "ext4" && pair.b == "xfs").expect("both were measured");
    assert_eq!((pair.verdict, pair.reason), (Verdict::Undecided, JudgedReason::OtherTimes), "{days:?}");
    assert!(text(&days, FindingClass::Confounded).starts_with("the order is unknown"), "{days:?}");
    for code in [json!(1), json!(null)] {
        let failed = json!({ "results": [{ "command": "false", "times": [0.1, 0.1], "exit_codes": [0, code] }] });
        let refused = json("times", &failed.to_string()).expect_err("no work").to_string();
        assert_eq!(refused, "times, `false`, run 2: the command failed, so its time is of no work");
    }
}

fn fio(read: f64, served: f64, options: serde_json::Value) -> String {
    let bytes = 1e9;
    let result = json!({
        "fio version": "fio-3.36",
        "timestamp": 1_700_000_000,
        "global options": { "directory": "/mnt" },
        "jobs": [{
            "jobname": "oltp", "error": 0, "job options": options,
            "read": { "iops": read, "io_bytes": bytes }, "write": { "iops": 500.0 }, "trim": { "iops": 0.0 },
        }],
        "disk_util": [{ "name": "sda", "read_sectors": served * bytes / 512.0 }],
    });
    format!("fio: a warning that comes first\n{result}")
}

#[test]
fn fio_shows_what_memory_served_and_what_was_not_synced() {
    let of = |label: &str, text: &str| json(label, text).expect("well formed");
    let mut rows = of("ext4", &fio(4000.0, 0.3, json!({ "rw": "randrw" })));
    rows.extend(of("xfs", &fio(9000.0, 1.0, json!({ "rw": "randrw", "fsync": "1" }))));
    let judgement = judge(&rows, MARGIN);
    let cached = text(&judgement, FindingClass::Cached);
    assert_eq!(cached, "ext4, oltp: the device served 30 % of the bytes that were read, memory the rest");
    let durability = text(&judgement, FindingClass::Durability);
    assert!(durability.starts_with("oltp write of ext4: nothing was synced"), "{durability}");
    assert!(classes(&judgement).contains(&FindingClass::OneRun));
    let workloads: Vec<&str> = judgement.pairs.iter().map(|pair| pair.workload.as_str()).collect();
    assert_eq!(workloads, ["oltp read", "oltp write"]);
    assert!(json("x", "{\"a\": 1}").expect_err("unknown").to_string().contains("of no tool that judge knows"));
    assert!(json("x", "{\"a\": [1, 2").expect_err("broken").to_string().contains("is broken"));
}

#[test]
fn hostile_results_are_refused_or_judged() {
    let table = "fs,test,when,rate\next4,w,1,2\n\"x\"\"fs\",w,2025-08-26T20:53:34.5,3\nxfs,v,3,1e300\n";
    let [fio, hyperfine] =
        [fio(1.0, 0.5, json!({})), json!({ "results": [{ "command": "a", "times": [1, 2] }] }).to_string()];
    fsarena_testing::fuzz::texts(&[table, &fio, &hyperfine], |text| {
        for rows in [csv("a", text, &columns()), json("a", text)].into_iter().flatten() {
            let _ = fsarena_report::html(report(&judge(&rows, MARGIN), "0.0.0"));
        }
    });
}
