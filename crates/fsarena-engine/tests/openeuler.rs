//! The jobs of the openEuler article in the catalogue have the parameters of the article's five command lines.

use std::collections::BTreeMap;

use fsarena_catalog::{at_scale, workload, workloads};
use fsarena_engine::engine;
use fsarena_model::Scale;
use fsarena_model::{Bytes, CacheState, Nanos, Workload};

/// The five timed fio calls of the article, in its order, without their names and folders.
const COMMANDS: [(&str, &str); 5] = [
    (
        "seqwrite",
        "--rw=write --bs=1M --size=4G --numjobs=1 --runtime=60 --time_based --group_reporting --ioengine=libaio --direct=1 \
         --iodepth=16",
    ),
    (
        "seqread",
        "--rw=read --bs=1M --size=4G --numjobs=1 --runtime=60 --time_based --group_reporting --ioengine=libaio --direct=1 \
         --iodepth=16",
    ),
    (
        "randwrite",
        "--rw=randwrite --bs=4K --size=2G --numjobs=4 --runtime=60 --time_based --group_reporting --ioengine=libaio \
         --direct=1 --iodepth=64",
    ),
    (
        "randread",
        "--rw=randread --bs=4K --size=2G --numjobs=4 --runtime=60 --time_based --group_reporting --ioengine=libaio \
         --direct=1 --iodepth=64",
    ),
    (
        "mixed",
        "--rw=randrw --rwmixread=70 --bs=4K --size=2G --numjobs=4 --runtime=60 --time_based --group_reporting \
         --ioengine=libaio --direct=1 --iodepth=32",
    ),
];

type Options = BTreeMap<String, String>;

fn option(text: &str) -> (String, String) {
    let (key, value) = text.split_once('=').unwrap_or((text, ""));
    (key.to_owned(), value.to_owned())
}

fn of_command(line: &str) -> Options {
    line.split_whitespace().map(|word| option(word.trim_start_matches("--"))).collect()
}

fn of_job(workload: &Workload) -> Options {
    let job = workload.parameters["job"].as_str().expect("a job file");
    job.lines().filter(|line| !line.starts_with('[')).map(option).collect()
}

fn published(name: &str) -> Workload {
    at_scale(workload(name).expect("there"), Scale::Published).expect("understood")
}

#[test]
fn through_fio_they_are_the_articles_own() {
    for (name, command) in COMMANDS {
        let (name, command) = (format!("openeuler-{name}-fio"), of_command(command));
        assert_eq!(of_job(&published(&name)), command, "{name}");
        let scaled = workload(&name).expect("there");
        let (stated, here) = (scaled.scaled.clone().expect("it says what is less"), of_job(&scaled));
        assert_eq!(here.keys().collect::<Vec<_>>(), command.keys().collect::<Vec<_>>(), "{name}");
        for (key, value) in command {
            let is_scaled = ["size", "runtime"].contains(&key.as_str());
            assert_eq!(here[&key] != value, is_scaled, "{name}: {key}");
            assert!(!is_scaled || stated.contains(&here[&key]) && stated.contains(&value), "{name}: {stated}");
        }
    }
}

#[test]
fn natively_they_have_the_same_shape() {
    for (name, command) in COMMANDS {
        let (native, command) = (published(&format!("openeuler-{name}")), of_command(command));
        let number = |key: &str| command[key].parse::<f64>().expect("a number");
        let size = |key: &str| command[key].parse::<Bytes>().expect("a size");
        let own = |key: &str| native.parameters.get(key);
        let own_size = |key: &str| own(key).and_then(|size| size.as_str()?.parse::<Bytes>().ok()).expect("a size");
        assert_eq!((own_size("block-size"), own_size("file-size")), (size("bs"), size("size")), "{name}");
        let own_number = |key: &str| own(key)?.as_f64();
        assert_eq!(own_number("threads").unwrap_or(1.0), number("numjobs"), "{name}");
        assert_eq!(own_number("depth"), Some(number("iodepth")), "{name}");
        assert_eq!(native.cache, CacheState::Direct, "{name}");
        let mix = command.get("rwmixread").and_then(|percent| percent.parse().ok());
        assert_eq!(own_number("read-percent"), mix, "{name}");
        let is_random = own("pattern").is_some_and(|pattern| pattern == "random");
        assert_eq!(is_random, command["rw"].starts_with("rand"), "{name}");
        let timed = Nanos(native.timed().expect("a time").0 * u64::from(native.slices));
        assert_eq!(timed, Nanos::seconds(60), "{name}");
    }
}

#[test]
fn whatever_has_a_published_scale_is_understood_at_it() {
    let scaled = workloads().expect("well-formed").into_iter().filter(|workload| workload.published.is_some());
    let mut seen = 0;
    for workload in scaled {
        let does_more = workload.published.as_ref().is_some_and(|published| published.get("parameters").is_some());
        assert!(workload.scaled.is_some() || !does_more, "{} says what is less", workload.name);
        let published = at_scale(workload.clone(), Scale::Published).expect("understood");
        for workload in [&workload, &published] {
            // The engines of other programs are in fsarena-programs.
            let demand = engine(&workload.engine).map(|engine| engine.traits(workload).expect("understood").peak);
            assert!(demand.is_none_or(|demand| demand > Bytes(0)), "{}", workload.name);
        }
        let stated = |workload: &Workload| Some(workload.published.as_ref()?.get("scaled")?.as_str()?.to_owned());
        assert_eq!((published.scaled, published.published), (stated(&workload), None));
        seen += 1;
    }
    assert!(seen >= 12, "{seen}");
}
