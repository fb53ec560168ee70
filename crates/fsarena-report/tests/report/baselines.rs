//! Tests of measurements besides the metrics: shares, baselines, clocks, flushes, the lane, guarantees, memory limits.

use fsarena_model::article::Quantity;
use fsarena_model::comparison::{Cell, Clock};
use fsarena_model::{Comparison, DurablePoint, Probe, Validity, ValidityClass, probe};

use crate::fixture::{bare, fixture, reproduced};

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
        for word in [
            "where the time goes",
            "three clocks",
            "flushes per sync",
            "starts of ",
            "write and flush took",
            "verdicts of",
        ] {
            assert!(!report.contains(word), "{name}: {word}");
        }
        let new = render(&fixture(), name).to_lowercase();
        for word in ["where the time goes", "three clocks", "flushes per sync", "starts of ", "write and flush took"] {
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
fn the_lane_share_is_its_flushes_times_what_the_host_adds() {
    let mut comparison = fixture();
    for facts in &mut comparison.round_facts {
        let cost = facts.lane_cost.as_mut().unwrap();
        (cost.back_to_back.0, cost.device.as_mut().unwrap().0) = (80_000, 50_000);
    }
    let btrfs = cell(&mut comparison, "append-fsync", "btrfs");
    btrfs.per_operation.seconds = Some(300e-6);
    set(btrfs, probe::DEVICE_FLUSHES, Some(2.0));
    let of = |comparison: &Comparison| line(&render(comparison, "markdown"), "append-fsync", "lane, of the time");
    assert_eq!(of(&comparison).unwrap()[2], "20 %", "2 flushes of 30 µs in 300 µs");
    comparison.round_facts[2].lane_cost.as_mut().unwrap().device = None;
    assert_eq!(of(&comparison).unwrap()[2], "20 %", "one round did not read it: the median of the others");
    comparison.round_facts.iter_mut().for_each(|facts| facts.lane_cost.as_mut().unwrap().device = None);
    assert_eq!(of(&comparison), None, "not known");
    comparison.round_facts.iter_mut().for_each(|facts| facts.lane_cost = None);
    assert_eq!(of(&comparison).unwrap()[2], "11 %", "without rounds, what was measured before them: 16.4 µs");
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
    assert_eq!(line(&report, "create-fsync", "preflush + FUA").unwrap()[..2], ["4.00 + 0.16", "–"]);
    assert_eq!(line(&report, "stat-tree", "flushes per sync"), None, "it never syncs");
    comparison.workloads[1].durable = DurablePoint::OSync;
    for (known, flushes) in [(None, "1.00"), (Some(2.0), "0.50")] {
        cell(&mut comparison, "create-fsync", "ext4").per_operation.syncs = known;
        let report = render(&comparison, "markdown");
        assert_eq!(line(&report, "create-fsync", "flushes per sync").unwrap()[0], flushes, "{known:?} writes each");
    }
}

#[test]
fn columns_of_iostat_are_among_all_only_if_a_reproduced_article_has_such_figures() {
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
    comparison.reproduction = reproduced().reproduction;
    assert_eq!(line(&render(&comparison, "markdown"), "create-fsync", "w/s"), None, "its metrics are times");
    let article = &mut comparison.reproduction.as_mut().unwrap().article;
    article.tests[0].metrics[0].quantity = Some(Quantity::Utilisation);
    let report = render(&comparison, "markdown");
    assert_eq!(line(&report, "create-fsync", "w/s").unwrap(), ["1234.50", "–", "–"]);
    assert_eq!(line(&report, "create-fsync", "%util").unwrap()[0], "99.50");
    assert_eq!(line(&report, "create-fsync", "%CPU").unwrap()[0], "25.00");
    assert_eq!(line(&report, "create-fsync", "r/s"), None, "no reads");
    assert_eq!(line(&report, "stat-tree", "w/s"), None, "not counted");
}

#[test]
fn only_what_leaves_something_for_later_takes_a_line_among_all() {
    let mut comparison = fixture();
    let report = render(&comparison, "markdown");
    assert_eq!(line(&report, "create-fsync", "later, of the time").unwrap(), ["0.4 %", "11 %", "0.4 %"]);
    assert_eq!(line(&report, "append-fsync", "later, of the time"), None);
    assert!(report.contains("In 6 workloads less than 5 % is left for later"));
    let page = render(&comparison, "html");
    assert!(section(&page, "append-fsync").contains("<summary>Three clocks and space</summary>"));
    assert!(section(&page, "create-fsync").contains("Three clocks and space: <b>xfs leaves 9.4 % for later</b>"));
    set(cell(&mut comparison, "append-fsync", "btrfs"), probe::CLOCK_QUIESCENT_WRITTEN, Some(1e6));
    let report = render(&comparison, "markdown");
    assert_eq!(line(&report, "append-fsync", "later, of the writes").unwrap(), ["0 %", "0 %", "98 %"]);
}

#[test]
fn what_a_figure_counts_is_not_left_for_later() {
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

#[test]
fn every_class_of_validity_has_its_mark_and_its_sentence_in_every_format() {
    use ValidityClass::*;
    for class in [
        Cached,
        NotDirect,
        DeviceBound,
        LaneBound,
        CpuBound,
        HarnessBound,
        UnevenClients,
        NetworkBound,
        Impossible,
        Overloaded,
        Unsteady,
        DidNotFinish,
    ] {
        let mut comparison = bare();
        comparison.cells.iter_mut().for_each(|cell| cell.validity.clear());
        let text = "seen with figures, and what to do".to_owned();
        cell(&mut comparison, "append-fsync", "xfs").validity = vec![Validity { class, text: text.clone() }];
        let text_report = render(&comparison, "text");
        assert!(text_report.contains(&format!("¹ {class} (append-fsync, xfs): {text}")), "{class}");
        let row = text_report.lines().find(|line| line.starts_with("append-fsync")).unwrap();
        assert!(row.contains('¹'), "{class}");
        assert!(
            render(&comparison, "markdown").contains(&format!("(1) {class} (append-fsync, xfs): {text}")),
            "{class}"
        );
        let page = render(&comparison, "html");
        assert!(section(&page, "append-fsync").contains(&format!("<span class=\"flag\">{class}</span>")), "{class}");
        assert!(
            section(&page, "append-fsync").contains(&format!("<b>xfs: {class}</b>")) && page.contains(&text),
            "{class}"
        );
        assert!(page.contains(&format!("<dt>{class}</dt>")), "{class}");
        assert!(render(&comparison, "csv").contains(&format!(",{class},\"{text}\"")), "{class}");
    }
}

#[test]
fn guarantees_are_shown_with_each_verdict_on_the_page_and_once_in_text() {
    let comparison = fixture();
    let sentence = "btrfs also has data checksums and copy on write";
    assert_eq!(render(&comparison, "text").matches(sentence).count(), 1);
    assert_eq!(render(&comparison, "markdown").matches(sentence).count(), 1);
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
fn what_the_machine_was_kept_from_doing_is_said_with_its_rounds() {
    let mut comparison = fixture();
    let sentence =
        "The machine swapped 12.0 MiB in round 3 and was held back 400 ms by a processor quota in rounds 5 and 6.";
    assert!(render(&comparison, "markdown").contains(sentence));
    for facts in &mut comparison.round_facts {
        facts.conditions = Default::default();
    }
    assert!(!render(&comparison, "markdown").contains("The machine "));
    assert!(!render(&comparison, "html").contains("<th scope=\"col\" class=\"number\">swapped</th>"));
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
