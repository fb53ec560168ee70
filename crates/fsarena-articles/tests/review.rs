//! What an independent check of the articles' data found, and what would find the like again: checks that say what
//! their sentences say, contenders that can be had, and declared differences.

use std::path::Path;

use fsarena_articles::Article;
use fsarena_articles::article::{Check, Claim, ClaimOutcome, Counterpart, Precision, PublishedMetric, Reckoning};
use fsarena_model::Better;

fn articles() -> Vec<Article> {
    fsarena_articles::articles().expect("well-formed")
}

fn article(name: &str) -> Article {
    fsarena_articles::article(name).expect("there")
}

fn claim<'a>(article: &'a Article, name: &str) -> &'a Claim {
    article.claims.iter().find(|claim| claim.name == name).expect("there")
}

/// Labels and kinds of the contenders that a suite has by default, in a guest or without.
fn usual(suite: &str) -> Vec<String> {
    let suite = fsarena_catalog::suite(suite).expect("there");
    let all = suite.contenders.iter().chain(&suite.guest_contenders);
    let contenders = all.map(|argument| fsarena_catalog::contender(argument).expect("a contender"));
    contenders.flat_map(|contender| [contender.kind, contender.label.0]).collect()
}

#[test]
fn each_contender_takes_part_by_default_or_says_why_it_cannot() {
    for article in articles() {
        let usual = usual(&article.name);
        for contender in &article.contenders {
            let is_there = contender.here.iter().any(|one| usual.contains(one));
            assert_eq!(is_there, !contender.here.is_empty(), "{}: {}", article.name, contender.name);
            assert!(is_there || contender.differs.is_some(), "{}: {}", article.name, contender.name);
        }
    }
    for name in ["VirtualBox native", "VMware native", "vboxsf", "vmhgfs", "NFS"] {
        let article = article("vagrant");
        let contender = article.contenders.iter().find(|one| one.name == name).expect("there");
        assert!(contender.differs.is_some(), "{name} is something else here");
    }
}

/// Whether the article's own figures contradict a check; places without both figures do not.
fn is_refuted(metric: &PublishedMetric, check: &Check) -> bool {
    let figure = |name: &String| metric.figures.iter().find(|one| one.contender == *name && one.at.is_none());
    let pairs = check.order.windows(2).flat_map(|two| two[0].iter().flat_map(|a| two[1].iter().map(move |b| (a, b))));
    let mut ratios = pairs.filter_map(|(a, b)| {
        let (a, b) = (figure(a)?.value, figure(b)?.value);
        Some(if metric.better == Better::Higher { a / b } else { b / a })
    });
    ratios.any(|ratio| ratio < check.at_least.unwrap_or(1.0))
}

#[test]
fn a_claim_that_holds_passes_its_own_check_by_the_articles_own_figures() {
    for article in articles() {
        for claim in article.claims.iter().filter(|claim| claim.outcome == ClaimOutcome::Holds) {
            for check in &claim.check {
                let test = article.test(&check.test).expect("there");
                let is_it = |one: &&PublishedMetric| check.metric.as_ref().is_none_or(|name| one.name == *name);
                let metric = test.metrics.iter().find(is_it).expect("there");
                assert!(!is_refuted(metric, check), "{}: {} in {}", article.name, claim.name, check.test);
            }
        }
    }
    let article = article("axvisor");
    let test = article.test("read-50m").expect("there");
    let large_read = claim(&article, "large-read");
    assert_eq!(large_read.outcome, ClaimOutcome::DoesNotHold);
    assert!(large_read.check.iter().any(|check| check.test == "read-50m" && is_refuted(&test.metrics[0], check)));
}

/// What rounding may take off a ratio.
const ROUNDED: f64 = 0.005;

#[test]
fn a_ratio_that_a_claim_states_is_in_its_check() {
    for article in articles() {
        for claim in article.claims.iter().filter(|claim| !claim.check.is_empty()) {
            let exact = claim.computed.iter().filter(|number| number.precision != Precision::About);
            for number in exact {
                let (test, metric, least) = match &number.from {
                    Some(Reckoning::Ratio { test, metric, .. }) => (test, metric, number.value),
                    Some(Reckoning::More { test, metric, .. }) => (test, metric, 1.0 + number.value / 100.0),
                    _ => continue,
                };
                // A range's lower end is what has to be reached.
                let lowest = claim.computed.iter().map(|number| number.value).fold(f64::INFINITY, f64::min);
                let of_test = claim.check.iter().filter(|check| check.test == *test);
                let mut same = of_test.filter(|check| check.metric.as_ref().is_none_or(|one| one == metric)).peekable();
                let is_order =
                    claim.outcome == ClaimOutcome::Unsupported || claim.outcome == ClaimOutcome::Contradiction;
                assert!(same.peek().is_some() || is_order, "{}: {}: no check of {test}", article.name, claim.name);
                let reaches =
                    |check: &Check| check.at_least.is_some_and(|reached| reached >= least.min(lowest) - ROUNDED);
                let has_least = claim.check.iter().any(|check| check.at_least.is_some());
                assert!(!has_least || same.all(reaches), "{}: {}: at least {least}", article.name, claim.name);
            }
        }
    }
}

/// The checks of a claim, as `test: a b > c, 2 times`.
fn checks(article: &Article, name: &str) -> Vec<String> {
    let word = |check: &Check| {
        let order: Vec<String> = check.order.iter().map(|group| group.join(" ")).collect();
        let times = check.at_least.map(|times| format!(", {times} times")).unwrap_or_default();
        format!("{}: {}{times}", check.test, order.join(" > "))
    };
    claim(article, name).check.iter().map(word).collect()
}

#[test]
fn a_check_is_neither_weaker_nor_stronger_than_its_sentence() {
    let all: [(&str, &str, &[&str]); 21] = [
        ("openeuler", "small-delete", &["small-files-delete: ext4 > btrfs xfs"]),
        ("openeuler", "xfs-large", &["seqwrite: xfs > ext4 btrfs"]),
        ("openeuler", "sum-xfs", &["seqread: xfs > ext4 btrfs"]),
        ("openeuler", "small-total", &["small-files-total: btrfs > ext4 xfs"]),
        ("openeuler", "xfs-weak", &["randwrite: ext4 > xfs"]),
        ("openeuler", "small-read", &["small-files-read: btrfs > ext4 xfs, 6.9 times"]),
        ("phoronix-2009", "bork", &["bork: EXT4 > Btrfs > XFS EXT3 NILFS2"]),
        ("phoronix-2009", "sqlite-winners", &["sqlite: EXT3 NILFS2 > EXT4 XFS Btrfs"]),
        ("phoronix-2009", "pbzip2", &["pbzip2: XFS > EXT3 > EXT4 NILFS2 > Btrfs"]),
        ("phoronix-2009", "apache", &["apache: EXT3 EXT4 XFS NILFS2 > Btrfs"]),
        (
            "phoronix-2009",
            "iozone-write",
            &["iozone-write-2g: EXT4 > EXT3 XFS Btrfs NILFS2", "iozone-write-4g: EXT4 > EXT3 XFS Btrfs NILFS2"],
        ),
        ("phoronix-2009", "iozone-8g", &["iozone-write-8g: EXT4 > EXT3 XFS Btrfs > NILFS2"]),
        ("phoronix-2009", "dbench", &["dbench: EXT3 NILFS2 > Btrfs > XFS EXT4"]),
        ("phoronix-2009", "postmark", &["postmark: EXT4 > EXT3 Btrfs > XFS NILFS2"]),
        ("trading", "import-xfs", &["a3-import: xfs > ext4, 1.1 times"]),
        ("axvisor", "metadata", &["stat-100: AxVisor > Linux, 39 times", "delete-50x4k: AxVisor > Linux, 170 times"]),
        ("axvisor", "sequential", &["write-50m-4k: AxVisor > Linux", "write-100m-64k: AxVisor > Linux"]),
        (
            "axvisor",
            "random",
            &[
                "randread-10m: AxVisor > Linux",
                "randread-50m: AxVisor > Linux",
                "randwrite-10m: AxVisor > Linux",
                "randwrite-50m: AxVisor > Linux",
            ],
        ),
        (
            "vagrant",
            "large-write-same",
            &[
                "random-write-64m: VirtualBox native VMware native > native",
                "random-write-64m: vboxsf > vmhgfs",
                "random-write-64m: VirtualBox native VMware native native > NFS",
            ],
        ),
        ("vagrant", "nfs-write", &["write-64k: VirtualBox native VMware native > NFS"]),
        ("phoronix-2009", "ext4-much-better", &["dbench: EXT4 > Btrfs NILFS2"]),
    ];
    for (name, claim, expected) in all {
        assert_eq!(checks(&article(name), claim), expected, "{name}: {claim}");
    }
}

#[test]
fn an_order_is_in_the_sentence_that_is_quoted() {
    let article = article("vagrant");
    let random = article.test("random-read-64m").expect("there");
    let mut orders = random.metrics.iter().flat_map(|metric| &metric.rankings);
    assert!(orders.all(|ranking| !ranking.order.contains(&vec!["NFS".to_owned()])), "it names no other contender");
    assert_eq!(claim(&article, "nfs-random-read").outcome, ClaimOutcome::NotTestable);
}

#[test]
fn reasons_agree_with_the_text_and_with_each_other() {
    let all = [
        ("openeuler", "capacity", "8 files of 2 GB"),
        ("openeuler", "tools", "sysbench and iotop are installed and never run"),
        ("axvisor", "wins", "5.0 to 9.8 ms each"),
        ("axvisor", "append-cause", "2.17 for each file"),
        ("phoronix-2009", "iozone-8g", "8 GB, as 4 GB"),
        ("phoronix-2009", "defaults", "neither EXT3 nor NILFS2 waited"),
        ("phoronix-2009", "too-slow", "EXT4 waits for the disk as they do"),
        ("vagrant", "nfs-only-virtualbox", "never has the guests' own disks apart"),
        ("trading", "recommend-ext4", "Btrfs in five"),
        ("trading", "recommend-ext4", "How often each was run is not stated"),
        ("trading", "because-concurrent", "not how often it was run"),
    ];
    for (name, one, words) in all {
        let why = claim(&article(name), one).why.clone();
        assert!(why.contains(words), "{name}: {one}: {why}");
    }
    assert!(article("openeuler").machine["tools"].contains("sysbench and iotop are never used"));
}

#[test]
fn outcomes_are_those_that_the_documentation_defines() {
    let all = [
        ("vagrant", "same-binary", ClaimOutcome::NotTestable),
        ("phoronix-2009", "defaults", ClaimOutcome::NotTestable),
        ("phoronix-2009", "apache", ClaimOutcome::NotTestable),
        ("phoronix-2009", "dbench", ClaimOutcome::NotTestable),
        ("phoronix-2009", "pbzip2", ClaimOutcome::NotTestable),
        ("phoronix-2009", "sqlite-winners", ClaimOutcome::Unsupported),
        ("openeuler", "large-writes", ClaimOutcome::Unsupported),
        ("trading", "because-default", ClaimOutcome::Unsupported),
        ("trading", "create-as-write", ClaimOutcome::Unsupported),
    ];
    for (name, one, outcome) in all {
        assert_eq!(claim(&article(name), one).outcome, outcome, "{name}: {one}");
    }
}

#[test]
fn workloads_quote_the_titles_of_their_articles() {
    let catalogue = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../catalog/workloads");
    let mut quoted = 0;
    for article in articles() {
        for workload in fsarena_catalog::suite(&article.name).expect("there").workloads {
            let text = std::fs::read_to_string(catalogue.join(format!("{workload}.toml"))).expect("there");
            let comments = text.lines().filter(|line| line.starts_with('#')).collect::<Vec<_>>().join(" ");
            let is_chinese = |part: &&str| part.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c));
            for title in comments.split('"').skip(1).step_by(2).filter(is_chinese) {
                assert_eq!(title, article.title, "{workload}");
                quoted += 1;
            }
        }
    }
    assert!(quoted >= 3, "{quoted}");
}

#[test]
fn deviations_from_articles_are_declared() {
    let all = [
        ("trading", "MariaDB is in the place of MySQL"),
        ("openeuler", "prepares files for tests 2 and 4"),
        ("openeuler", "cut off and not rounded"),
        ("phoronix-2009", "close()"),
        ("phoronix-2009", "nilfs2"),
        ("vagrant", "without `--guest`"),
        ("axvisor", "1 and 10 MB"),
    ];
    for (name, words) in all {
        assert!(article(name).differences.iter().any(|text| text.contains(words)), "{name}: {words}");
    }
}

#[test]
fn contents_without_a_test_have_an_existing_counterpart_or_a_reason() {
    let mut commands = 0;
    for article in articles() {
        assert!(!article.further.is_empty(), "{}", article.name);
        for further in &article.further {
            let (Counterpart::Here(text) | Counterpart::Nothing(text)) = &further.counterpart;
            assert!(text.len() > 20 && text.ends_with('.'), "{}: {text}", article.name);
            let after = |option: &str| {
                let value = text.split_once(option).map(|(_, rest)| rest.trim_start());
                value.and_then(|rest| rest.split([' ', '`', ',']).next()).map(str::to_owned)
            };
            let suite = after("--suite ").map(|name| fsarena_catalog::suite(&name).expect("a suite"));
            if let Some(weights) = text.split_once("--weights ").and_then(|(_, rest)| rest.split('`').next()) {
                let names = weights.split(',').filter_map(|weight| weight.split('=').next());
                let groups = &suite.as_ref().expect("of a suite").groups;
                names.for_each(|name| assert!(groups.contains_key(name), "{}: no group {name}", article.name));
                commands += 1;
            }
            if let Some(workload) = after("--workload ").or_else(|| after("The workload `")) {
                fsarena_catalog::workload(&workload).expect("a workload");
                commands += 1;
            }
        }
    }
    assert!(commands >= 5, "{commands}");
}
