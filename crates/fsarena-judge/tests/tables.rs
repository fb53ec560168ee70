//! Tables of figures, whose columns the user names.

use fsarena_judge::{CsvColumns, File, FindingClass, JudgedReason, Judgement, Measured, ReadError, judge, table};
use fsarena_model::{Better, Share, Verdict};

fn read(text: &str, columns: &CsvColumns) -> Result<Vec<Measured>, ReadError> {
    table(&File { label: "ext4", name: "c", text, is_labelled: true }, columns)
}

/// The columns `fs` and `rate`; `test` and `when` if the header has them.
fn columns(text: &str) -> CsvColumns {
    let header = text.lines().next().unwrap_or_default();
    let maybe = |title: &str| header.contains(title).then(|| title.to_owned());
    let figures = vec!["rate".to_owned()];
    let work = maybe("test").into_iter().collect();
    CsvColumns { contender: Some("fs".to_owned()), figures, work, time: maybe("when"), ..CsvColumns::default() }
}

fn judged(text: &str) -> Judgement {
    judge(&read(text, &columns(text)).expect("well formed"), Share(0.05))
}

fn refused(text: &str) -> String {
    read(text, &columns(text)).expect_err(text).to_string()
}

fn shown(rows: &[Measured]) -> Vec<String> {
    rows.iter().map(|row| format!("{}: {} {} {}", row.source, row.contender, row.workload, row.value)).collect()
}

#[test]
fn named_columns_are_work_and_conditions() {
    let row = |run: u32| format!("ext4,read,4k,A,{run},10{run}\nxfs,read,1m,B,{run},13{run}\n");
    let text = format!("fs,test,bs,disk,run,rate\n{}", (0..4).map(row).collect::<String>());
    let with = |work: &[&str], conditions: &[&str]| {
        let named = |titles: &[&str]| titles.iter().map(|title| (*title).to_owned()).collect();
        let columns = CsvColumns { work: named(work), conditions: named(conditions), ..columns(&text) };
        let judgement = judge(&read(&text, &columns).expect("well formed"), Share(0.05));
        let found: Vec<String> = judgement.findings.iter().map(|finding| finding.text.clone()).collect();
        (judgement.pairs[0].reason, found.join("\n"))
    };
    let (reason, found) = with(&["test", "bs"], &[]);
    assert_eq!(reason, JudgedReason::OtherWork);
    assert!(found.contains("read: ext4 and xfs did not do the same work: bs 4k and 1m differ"), "{found}");
    let units = "fs,test,unit,rate\next4,w,MB/s,1\nxfs,w,KB/s,2\n";
    let by_unit = CsvColumns { work: ["test", "unit"].map(str::to_owned).to_vec(), ..columns(units) };
    let other = judge(&read(units, &by_unit).expect("well formed"), Share(0.05));
    assert!(other.findings.iter().any(|finding| finding.text.contains("unit KB/s and MB/s differ")
        || finding.text.contains("unit MB/s and KB/s differ")));
    let (reason, found) = with(&["test"], &["disk"]);
    assert_eq!(reason, JudgedReason::Confounded);
    assert!(found.contains("besides the contender, these differ: disk (ext4: A, xfs: B)"), "{found}");
    let (reason, found) = with(&["test"], &[]);
    assert_eq!(reason, JudgedReason::OtherTimes);
    assert!(found.contains("no option names bs, disk, run; name what defines the work by"), "{found}");
}

#[test]
fn contenders_have_cells_or_columns_or_files() {
    let text = "test;ext4 MB/s;xfs MB/s\nwrite;100;200\nwrite;101;\nread;50;60\n";
    let figures = vec!["xfs MB/s".to_owned(), "ext4 MB/s".to_owned()];
    let columns = CsvColumns { figures, contender: None, better: Better::Lower, ..columns(text) };
    let rows = read(text, &columns).expect("well formed");
    let expected = [
        "c, line 2, xfs MB/s: xfs MB/s write 200",
        "c, line 2, ext4 MB/s: ext4 MB/s write 100",
        "c, line 3, ext4 MB/s: ext4 MB/s write 101",
        "c, line 4, xfs MB/s: xfs MB/s read 60",
        "c, line 4, ext4 MB/s: ext4 MB/s read 50",
    ];
    assert_eq!(shown(&rows), expected);
    assert!(rows.iter().all(|row| row.better == Better::Lower));
    let own = CsvColumns { figures: vec!["rate".to_owned()], ..CsvColumns::default() };
    assert_eq!(
        shown(&read("rate\tnote\n 1.5 \t\"a, b\"\n", &own).expect("well formed")),
        ["c, line 2, ext4: ext4 work 1.5"]
    );
}

#[test]
fn what_is_not_understood_is_refused_by_line() {
    for (text, why) in [
        ("fs,v\next4,1\n", "c: no column `rate`; it has fs, v"),
        ("fs,rate,rate\next4,1,2\n", "c: more than one column `rate`; it has fs, rate, rate"),
        ("fs,rate\n", "c: it has no figures"),
        ("fs,rate\n,1\n", "c, line 2: it has no `fs`"),
        ("fs,test,rate\next4,,1\n", "c, line 2: it has no `test`"),
        ("fs,rate,test\next4,,w\n", "c, line 2: it has no `rate`"),
        ("fs,rate,when\next4,1,\n", "c, line 2: it has no `when`"),
        ("fs,rate,when\next4,1,2026-13-45T99:99:99\n", "c, line 2: `2026-13-45T99:99:99` is no time"),
        ("fs,rate,when\next4,1,01/02/2026\n", "c, line 2: `01/02/2026` is no time"),
        ("fs,rate\next4,100 MB/s\n", "c, line 2: `100 MB/s` is no number above 0"),
        ("fs;rate\next4;1,5\n", "c, line 2: `1,5` is no number above 0"),
        ("fs,rate\next4,-5\n", "c, line 2: `-5` is no number above 0"),
        ("fs,rate\next4,1\nxfs,1,5\n", "c, line 3: it has 3 cells, and the header 2"),
        ("fs,rate\n\"ext4,1\nxfs,1\n", "c, line 2: it has 1 cells, and the header 2"),
        ("fs,rate\next4,\"1\nxfs,2\n", "c, line 2: a cell has several lines, or a quote has no end"),
        ("fs,rate\next4,inf\n", "c, line 2: `inf` is no number above 0"),
    ] {
        assert_eq!(refused(text), why);
    }
}

#[test]
fn rounding_is_a_step_of_the_clock() {
    let found = |figures: [&str; 4]| {
        let row = |(place, value): (usize, &&str)| format!("{},{value},{place}\n", ["ext4", "xfs"][place % 2]);
        let text: String = figures.iter().cycle().take(8).enumerate().map(row).collect();
        let pair = judged(&format!("fs,rate,when\n{text}")).pairs[0].clone();
        (pair.verdict, pair.reason)
    };
    assert_eq!(found(["0.3", "0.4", "0.4", "0.4"]), (Verdict::Undecided, JudgedReason::Clock));
    assert_eq!(found(["0.301", "0.401", "0.302", "0.4"]), (Verdict::Slower, JudgedReason::None));
}

#[test]
fn figures_under_two_names_are_no_comparison() {
    let is_same = |ext4: &[f64], xfs: &[f64]| {
        let rows = |name: &str, rates: &[f64]| rates.iter().map(|rate| format!("{name},{rate}\n")).collect::<String>();
        judged(&format!("fs,rate\n{}{}", rows("ext4", ext4), rows("xfs", xfs))).pairs[0].reason
            == JudgedReason::Identity
    };
    assert!(is_same(&[100.1, 101.2, 99.3], &[101.2, 100.1, 99.3]));
    assert!(is_same(&[100.1, 101.2, 99.3, 98.4], &[101.2, 100.1, 99.3]), "as far as they go");
    assert!(!is_same(&[100.1, 101.2, 99.3], &[101.2, 100.1, 99.4]));
    assert!(!is_same(&[100.1, 101.2, 101.2], &[101.2, 100.1, 101.2]), "two figures");
    assert!(!is_same(&[12.0, 13.0, 14.0], &[12.0, 13.0, 14.0]), "coarse");
}

#[test]
fn a_table_and_a_later_state_of_it_count_once() {
    let first = "fs,rate\next4,100\nxfs,110\next4,102\nxfs,113\n";
    let texts = [first.to_owned(), format!("{first}ext4,99\nxfs,111\n")];
    let rows = |place: usize| {
        let name = place.to_string();
        let file = File { label: &name, name: &name, text: &texts[place], is_labelled: false };
        table(&file, &columns(first)).expect("well formed")
    };
    for order in [[0, 1], [1, 0]] {
        let both = judge(&order.map(rows).concat(), Share(0.05));
        let copies = both.findings.iter().filter(|finding| finding.class == FindingClass::Copy);
        let copies: Vec<&str> = copies.map(|finding| finding.text.as_str()).collect();
        assert_eq!((both.results, copies), (6, vec!["0 is a part of 1: it counts once"]));
    }
    let again = "ext4,100,1\nxfs,110,2\next4,102,3\nxfs,113,4\n";
    assert_eq!(judged(&format!("fs,rate,when\n{again}ext4,100,1\next4,100,7\n")).results, 5);
}

#[test]
fn rows_of_one_time_are_one_run() {
    let rows: String = (0..4).map(|run| format!("ext4,9,10{run}.5\nxfs,9,13{run}.5\n")).collect();
    let judgement = judged(&format!("fs,when,rate\n{rows}"));
    assert_eq!((judgement.results, judgement.pairs[0].reason), (2, JudgedReason::NoRepetition));
}

#[test]
fn times_with_and_without_an_offset_have_no_order() {
    let reason = |zones: [&str; 2]| {
        let row = |run: u32| {
            let [ext4, xfs] = zones.map(|zone| format!("2026-01-01T10:0{run}:00{zone}"));
            format!("ext4,10{run},{ext4}\nxfs,13{run},{xfs}\n")
        };
        judged(&format!("fs,rate,when\n{}", (0..4).map(row).collect::<String>())).pairs[0].reason
    };
    assert_eq!(reason(["Z", ""]), JudgedReason::OtherTimes);
    assert_eq!([reason(["Z", "+00:00"]), reason(["", ""])], [JudgedReason::None; 2]);
}
