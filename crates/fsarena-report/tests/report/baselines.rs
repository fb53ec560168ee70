//! Tests of measurements besides the metrics: shares, baselines, clocks, flushes, the lane, guarantees, memory limits.

use std::collections::BTreeSet;

use fsarena_model::comparison::{Cell, Clock};
use fsarena_model::{Bytes, Comparison, DurablePoint, Finding, Nanos, Probe, ValidityClass, probe};
use fsarena_report::Additions;

use crate::fixture::{bare, fixture};

fn render(comparison: &Comparison, name: &str) -> String {
    crate::rendered(name, comparison)
}

fn cell<'a>(comparison: &'a mut Comparison, workload: &str, contender: &str) -> &'a mut Cell {
    let is_it = |cell: &&mut Cell| cell.workload == workload && cell.contender.0 == contender;
    comparison.cells.iter_mut().find(is_it).unwrap()
}

fn set(cell: &mut Cell, probe: Probe, value: Option<f64>) {
    cell.probes.get_mut(&probe.key()).unwrap().value = value;
}

/// The figures of a line of the Markdown report, by workload and figure.
fn line(report: &str, workload: &str, figure: &str) -> Option<Vec<String>> {
    let begin = format!("| {workload} | {figure} | ");
    let rest = report.lines().find_map(|line| line.strip_prefix(&begin))?;
    Some(rest.trim_end_matches(" |").split(" | ").map(str::to_owned).collect())
}

fn section<'a>(page: &'a str, workload: &str) -> &'a str {
    page.split(&format!("<h3>{workload} <small>")).nth(1).unwrap().split("</article>").next().unwrap()
}

#[test]
fn a_run_that_measured_nothing_beside_has_no_word_of_it() {
    let mut old = bare();
    for cell in &mut old.cells {
        (cell.per_operation.seconds, cell.per_operation.syncs) = (Some(1e-4), Some(1.0));
    }
    for name in ["text", "markdown", "html"] {
        let report = render(&old, name).to_lowercase();
        for word in ["where the time goes", "three clocks", "time of a flush", "starts of "] {
            assert!(!report.contains(word), "{name}: {word}");
        }
        let new = render(&fixture(), name).to_lowercase();
        for word in ["where the time goes", "three clocks", "time of a flush", "starts of "] {
            assert!(new.contains(word), "{name}: {word}");
        }
    }
}

#[test]
fn a_share_that_could_not_be_read_is_a_dash() {
    let mut comparison = fixture();
    cell(&mut comparison, "create-fsync", "xfs").shares.harness = None;
    cell(&mut comparison, "create-fsync", "btrfs").shares.harness = Some(0.971);
    let figures = line(&render(&comparison, "markdown"), "create-fsync", "harness, of the time").unwrap();
    assert_eq!(figures[1..3], ["–", "97 %"]);
    let page = render(&comparison, "html");
    assert_eq!(section(&page, "create-fsync").matches(">harness ").count(), 2);
    assert!(section(&page, "create-fsync").contains(">harness 97 %<"));
}

#[test]
fn references_stand_beside_the_figures_in_every_format() {
    let comparison = fixture();
    for place in ["in memory", "on the bare device"] {
        assert!(
            section(&render(&comparison, "html"), "randwrite-4k").contains(&format!(">{place}</span></th>")),
            "{place}"
        );
        assert!(render(&comparison, "markdown").contains(&format!("| {place} ")), "{place}");
        assert!(render(&comparison, "text").contains(place), "{place}");
    }
    assert!(section(&render(&comparison, "html"), "stat-tree").contains("619 programs&#x2f;s"));
    assert!(render(&comparison, "csv").contains("\nbaseline,stat-tree,,start,,,programs/s,"));
}

#[test]
fn flushes_are_counted_per_sync() {
    let mut comparison = fixture();
    let ext4 = cell(&mut comparison, "create-fsync", "ext4");
    ext4.per_operation.syncs = Some(0.25);
    set(ext4, probe::DEVICE_FLUSHES, Some(1.0));
    set(ext4, probe::DEVICE_FLUSHING, Some(200e-6));
    set(cell(&mut comparison, "create-fsync", "xfs"), probe::DEVICE_PREFLUSHES, None);
    let report = render(&comparison, "markdown");
    assert_eq!(line(&report, "create-fsync", "flushes per sync").unwrap()[0], "4.00");
    assert_eq!(line(&report, "create-fsync", "time of a flush").unwrap()[0], "200 µs");
    let page = render(&comparison, "html");
    for row in
        ["preflushes per sync</span></th><td>4.00</td><td>–</td>", "FUA writes per sync</span></th><td>0.16</td>"]
    {
        assert!(section(&page, "create-fsync").contains(row), "{row}");
    }
    assert_eq!(line(&report, "stat-tree", "flushes per sync"), None, "it never syncs");
    comparison.workloads[1].durable = DurablePoint::OSync;
    for (known, flushes) in [(None, "1.00"), (Some(2.0), "0.50")] {
        cell(&mut comparison, "create-fsync", "ext4").per_operation.syncs = known;
        let report = render(&comparison, "markdown");
        assert_eq!(line(&report, "create-fsync", "flushes per sync").unwrap()[0], flushes, "{known:?} writes each");
    }
}

#[test]
fn columns_of_iostat_are_among_all_only_if_they_are_added() {
    let mut comparison = fixture();
    let columns = [
        probe::IOSTAT_READS.reading(0.0),
        probe::IOSTAT_WRITES.reading(1234.5),
        probe::IOSTAT_WRITTEN.reading(4938.0),
        probe::IOSTAT_BUSY.reading(99.5),
    ];
    let ext4 = cell(&mut comparison, "create-fsync", "ext4");
    ext4.per_operation.seconds = Some(0.001);
    ext4.probes.extend(columns);
    ext4.probes.extend([probe::CPU_PROCESS.reading(0.000_25)]);
    assert_eq!(line(&render(&comparison, "markdown"), "create-fsync", "w/s"), None);
    let page = render(&comparison, "html");
    assert!(section(&page, "create-fsync").contains("<summary>As iostat has it</summary>"));
    assert!(section(&page, "create-fsync").contains("4938.00"));
    let additions = Additions { has_iostat: true, ..Additions::default() };
    let report = fsarena_report::markdown(fsarena_report::comparison(&comparison, additions));
    assert_eq!(line(&report, "create-fsync", "w/s").unwrap(), ["1234.50", "–", "–"]);
    assert_eq!(line(&report, "create-fsync", "%util").unwrap()[0], "99.50");
    assert_eq!(line(&report, "create-fsync", "%CPU").unwrap()[0], "25.00");
    assert_eq!(line(&report, "stat-tree", "w/s"), None, "not counted");
}

#[test]
fn only_what_leaves_something_for_later_takes_a_line_among_all() {
    let mut comparison = fixture();
    let report = render(&comparison, "markdown");
    assert_eq!(line(&report, "create-fsync", "later, of the time").unwrap(), ["0.4 %", "11 %", "0.4 %"]);
    assert_eq!(line(&report, "append-fsync", "later, of the time"), None);
    let page = render(&comparison, "html");
    assert!(section(&page, "append-fsync").contains("<summary>Three clocks and space</summary>"));
    set(cell(&mut comparison, "append-fsync", "btrfs"), probe::CLOCK_QUIESCENT_WRITTEN, Some(1e6));
    let report = render(&comparison, "markdown");
    assert_eq!(line(&report, "append-fsync", "later, of the writes").unwrap(), ["0 %", "0 %", "98 %"]);
}

#[test]
fn work_that_a_figure_counts_is_not_deferred() {
    let mut comparison = fixture();
    for (probe, value) in [(probe::CLOCK_RETURNED, 1.0), (probe::CLOCK_DURABLE, 9.0), (probe::CLOCK_QUIESCENT, 10.0)] {
        set(cell(&mut comparison, "seqwrite-fsync", "ext4"), probe, Some(value));
    }
    for (probe, value) in
        [(probe::DEVICE_WRITTEN, 9e3), (probe::CLOCK_DURABLE_WRITTEN, 9e3), (probe::CLOCK_QUIESCENT_WRITTEN, 1e3)]
    {
        set(cell(&mut comparison, "seqwrite-fsync", "ext4"), probe, Some(value));
    }
    let of = |comparison: &Comparison, figure: &str| {
        line(&render(comparison, "markdown"), "seqwrite-fsync", figure).unwrap()[0].clone()
    };
    assert_eq!(of(&comparison, "later, of the time"), "10 %", "a whole run's figure counts until durable");
    assert_eq!(of(&comparison, "later, of the writes"), "10 %");
    assert!(section(&render(&comparison, "html"), "seqwrite-fsync").contains(">durable (the figure)<"));
    comparison.workloads[5].clock = Clock::Returned;
    assert_eq!(of(&comparison, "later, of the time"), "90 %");
    assert_eq!(of(&comparison, "later, of the writes"), "53 %", "100 of 190");
    assert!(section(&render(&comparison, "html"), "seqwrite-fsync").contains(">returned (the figure)<"));
}

#[test]
fn space_at_rest_is_said_where_it_is_another() {
    let mut comparison = fixture();
    let has =
        |comparison: &Comparison| line(&render(comparison, "markdown"), "create-fsync", "space at rest").is_some();
    assert!(has(&comparison));
    set(cell(&mut comparison, "create-fsync", "xfs"), probe::SPACE_QUIESCENT, Some(4.1));
    for label in ["ext4", "btrfs"] {
        set(cell(&mut comparison, "create-fsync", label), probe::SPACE_QUIESCENT, Some(4.1));
    }
    assert!(!has(&comparison));
}

/// Every finding of a rule, with a part of its sentence.
pub fn findings() -> Vec<(Finding, &'static str)> {
    let mib = |count: u64| Bytes(count << 20);
    let below = |with_device: Option<Nanos>, has_file_system: bool| Finding::HostBelowLane {
        share: 0.31,
        each: Nanos(16_400),
        with_device,
        has_file_system,
    };
    let harness =
        |memory, starts, is_score| Finding::MostlyHarness { memory, starts, each: Nanos(10_000_000), is_score };
    let why = "no space left on device".to_owned();
    vec![
        (
            Finding::NotFinished { rounds: 2, of: 3, first: 1, why },
            "did not finish in 2 of 3 rounds (round 1: no space left on device)",
        ),
        (Finding::NothingRead { round: 2 }, "in round 2 the device read nothing: all that the workload needed"),
        (
            Finding::LittleCarried { round: 3, share: 0.421, bytes: mib(100) },
            "in round 3 the device carried 42 % of the 100 MiB that the workload asked for",
        ),
        (
            Finding::LittleReadByServers { round: 1, share: 0.5, bytes: mib(100) },
            "in round 1 the disks of the servers read 50 % of the 100 MiB that the workload asked for",
        ),
        (Finding::NoDevice, "direct I/O went to the page cache: the file system does not say how it is to be aligned"),
        (
            Finding::PagesDirtied { pages: 21_400, bytes: mib(84) },
            "direct I/O went through the page cache: 21400 pages of 4 KiB were dirtied for 84.0 MiB",
        ),
        (Finding::TooFewFlushes { syncs: 120.0, flushes: 3.0 }, "120 syncs reached the device with 3 flushes"),
        (Finding::FasterThanMemory { rate: mib(40_960), most: mib(20_480) }, "40.0 GiB per second, where this machine"),
        (Finding::FasterThanDevice { times: 3.1 }, "3.1 times as fast as the same requests to the bare device"),
        (
            Finding::OtherSize { round: 1, operations: 100, size: Bytes(4096), bytes: mib(1) },
            "round 1: 100 operations of 4.00 KiB are not 1.00 MiB",
        ),
        (
            below(Some(Nanos(31_800)), true),
            "take 16.4 µs of each write and flush (31.8 µs with the device), about 31 %",
        ),
        (below(Some(Nanos(31_800)), false), "the loop device on the disk takes 16.4 µs of each write and flush"),
        (below(None, true), "a write and flush on the bare lane takes 16.4 µs (how much of it a device beneath takes"),
        (
            Finding::DeviceLimit { share: 0.98 },
            "98 % of what the bare device does with the same requests: a tie here says nothing",
        ),
        (Finding::ProcessorsBusy { busy: 1.94, of: 2 }, "threads kept 1.9 of 2 processors busy: the figure is about"),
        (
            harness(Some(0.97), None, false),
            "the same work in memory takes 97 % of its 10.0 ms per operation: the figure",
        ),
        (harness(Some(0.62), None, true), "the figure is 62 % of what the same work gives in memory: the figure"),
        (
            harness(Some(1.2), Some(0.7), false),
            "takes 120 % of its 10.0 ms per operation; starting programs that do nothing takes 70 % of it: the figure",
        ),
        (harness(None, Some(0.7), false), "starting programs that do nothing takes 70 % of its 10.0 ms per operation"),
        (
            Finding::FewSteps { step: Nanos::millis(1), share: 0.25 },
            "the program counts its time in steps of 1.00 ms, 25 % of what it measured",
        ),
        (
            Finding::SlowClient { client: "client 2 (node2)".to_owned(), share: 0.31, rounds: 3, of: 4 },
            "client 2 (node2) did 31 % of what the others did, in 3 of 4 rounds",
        ),
        (
            Finding::StartsApart { slices: 3, of: 9, worst: 0.0125 },
            "in 3 of 9 slices the clients did not start within 1 % of the slice (the worst: 12.5 ms)",
        ),
        (
            Finding::LinkLimit { share: 0.9, mbit: 1000.0 },
            "each client moved 90 % of what its network link of 1000 Mbit/s",
        ),
        (
            Finding::BehindItsRate { offered: 11_000.0, done: 9_800.0 },
            "offered 11.0k/s, done 9.80k/s: does not keep up",
        ),
    ]
}

/// As a page has it.
fn escaped(text: &str) -> String {
    text.replace('/', "&#x2f;")
}

#[test]
fn every_finding_has_its_mark_and_its_sentence_in_every_format() {
    let classes: BTreeSet<ValidityClass> = findings().iter().map(|(finding, _)| finding.class()).collect();
    let not_of_a_cell = [ValidityClass::Unsteady];
    assert_eq!(classes.len() + not_of_a_cell.len(), ValidityClass::ALL.len());
    for (finding, text) in findings() {
        let class = finding.class();
        let mut comparison = bare();
        comparison.cells.iter_mut().for_each(|cell| cell.validity.clear());
        cell(&mut comparison, "append-fsync", "xfs").validity = vec![finding.into()];
        let text_report = render(&comparison, "text");
        let one_line = text_report.replace("\n  ", " ");
        let note = one_line.lines().find(|line| line.starts_with(&format!("¹ {class} (append-fsync, xfs): ")));
        assert!(note.is_some_and(|note| note.contains(text)), "{class}: {text}: {note:?}");
        let row = text_report.lines().find(|line| line.starts_with("append-fsync")).unwrap();
        assert!(row.contains('¹'), "{class}");
        let markdown = render(&comparison, "markdown");
        let note = markdown.lines().find(|line| line.contains(&format!("(1) {class} (append-fsync, xfs): ")));
        assert!(note.is_some_and(|note| note.contains(text)), "{class}: {text}: {note:?}");
        let page = render(&comparison, "html");
        let part = section(&page, "append-fsync");
        assert!(part.contains(&format!("<span class=\"flag\">{class}</span>")), "{class}");
        assert!(part.contains(&format!("<b>xfs: {class}</b>")) && part.contains(&escaped(text)), "{class}: {text}");
        assert!(page.contains(&format!("<dt>{class}</dt>")), "{class}");
        let csv = render(&comparison, "csv");
        let row = csv.lines().find(|line| line.contains(&format!(",{class},")));
        assert!(row.is_some_and(|row| row.contains(text)), "{class}: {text}: {row:?}");
    }
}

#[test]
fn guarantees_are_shown_with_each_verdict_on_the_page_and_once_in_text() {
    let comparison = fixture();
    let of_all = "btrfs also guarantees data checksums, copy on write and duplicated metadata";
    for name in ["text", "markdown"] {
        let report = render(&comparison, name).split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(report.matches(of_all).count(), 1, "{name}");
    }
    let sentence = "btrfs also has data checksums and copy on write";
    let pairs = comparison.judged.verdicts.iter().filter(|pair| !pair.guarantees.is_empty()).count();
    assert_eq!(render(&comparison, "html").matches(sentence).count(), pairs);
}

#[test]
fn a_limit_of_memory_is_said_with_its_workload() {
    let comparison = fixture();
    let sentence = "within 128 MiB of memory";
    let text = render(&comparison, "text");
    let row = text.lines().find(|line| line.starts_with("randwrite-4k")).unwrap();
    assert!(row.starts_with("randwrite-4k ³") && text.contains(&format!("³ {sentence}")));
    assert!(render(&comparison, "markdown").contains("| randwrite-4k (3) |"));
    assert!(section(&render(&comparison, "html"), "randwrite-4k").contains(sentence));
    assert!(!section(&render(&comparison, "html"), "create-fsync").contains(sentence));
}

#[test]
fn what_held_the_machine_back_has_a_column_if_it_was_seen() {
    let mut comparison = fixture();
    let column = "<th scope=\"col\" class=\"number\">swapped</th>";
    assert!(render(&comparison, "html").contains(column));
    for facts in &mut comparison.round_facts {
        facts.conditions = Default::default();
    }
    assert!(!render(&comparison, "html").contains(column));
}

/// The fixture with two more contenders whose figures are copies of the last one's.
fn of_five() -> Comparison {
    let mut comparison = fixture();
    for label in ["ext2", "ext3"] {
        let mut row = comparison.contenders[2].clone();
        row.label = label.into();
        comparison.contenders.push(row);
        let cells: Vec<Cell> = comparison.cells.iter().filter(|cell| cell.contender.0 == "btrfs").cloned().collect();
        comparison.cells.extend(cells.into_iter().map(|cell| Cell { contender: label.into(), ..cell }));
    }
    comparison
}

#[test]
fn five_contenders_have_tables_and_their_references_stand_below() {
    let report = render(&of_five(), "text");
    let from = report.find("Where the time goes").unwrap();
    let to = from + report[from..].find("What the intervals do not cover").unwrap();
    insta::assert_snapshot!(&report[from..to]);
    assert!(report[from..to].lines().all(|line| line.chars().count() <= 120));
}

#[test]
fn no_line_of_the_text_ends_in_a_space() {
    assert!(render(&fixture(), "text").lines().all(|line| line == line.trim_end()));
}
