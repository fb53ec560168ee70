//! Tables of figures: which direction is better, and cells that are empty or wrong.

use fsarena_judge::{CsvColumns, ReadError, csv};
use fsarena_model::Better;

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
        "p99_usec",
        "msec",
        "nsecs",
        "p99Usec",
        "avgMs",
        "p99us",
        "minutes",
        "min",
        "hours",
        "hrs",
        "clat_mean",
        "slat",
        "await",
        "rtt",
        "response",
        "usecs/op",
    ] {
        let error = read(title).expect_err(title).to_string();
        assert_eq!(error, format!("c: `{title}` is the name of a time, and which direction is better is not given"));
    }
    for title in ["MBps", "KiBps", "opsPerSec", "files_per_hour", "ops/min", "rate", "score", "admin", "plat4", "p99"] {
        assert_eq!(read(title).expect(title)[0].better, Better::Higher);
    }
}

#[test]
fn units_are_of_times_or_rates_or_need_a_direction() {
    let columns = |better: Option<Better>| CsvColumns { better, ..CsvColumns::of("fs", "p99") };
    let read = |unit: &str, better: Option<Better>| {
        csv("c", &format!("fs,p99,unit\next4,10,{unit}\nxfs,20,{unit}\n"), &columns(better))
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
    assert_eq!(error.hint(), "the first line of a CSV names its columns, each once, and rows follow");
}
