//! Which workloads make sense.

use fsarena_model::{Better, Measure, Mode, Traits, Workload};

use crate::{CatalogError, malformed, parse, same_name};

/// Limits that prevent an overflow of sums of times.
const LONGEST_MS: u64 = 24 * 3_600_000;
const MOST_SLICES: u32 = 10_000;
/// The longest time limit of a workload, in seconds.
pub const LONGEST_LIMIT_S: u64 = 7 * 24 * 3600;

/// Refuses a workload, from a file or a stored plan, that cannot be run as specified.
///
/// # Errors
/// [`CatalogError::Malformed`].
pub fn require_sound(workload: &Workload) -> Result<(), CatalogError> {
    let Workload { name, slices, warm_up_ms, timed_ms, time_limit_s, .. } = workload;
    let what = if *slices != 1 && (*slices == 0 || !slices.is_multiple_of(2)) {
        "`slices` is 1 or even, so that the order can be balanced"
    } else if *warm_up_ms.max(timed_ms) > LONGEST_MS || *slices > MOST_SLICES {
        "`warm-up-ms` and `timed-ms` are at most a day, `slices` at most 10,000"
    } else if time_limit_s.is_some_and(|limit| limit == 0 || limit > LONGEST_LIMIT_S) {
        "`time-limit-s` is at least 1, and at most a week"
    } else {
        return Ok(());
    };
    Err(malformed(name, what))
}

/// The workload `name` in the text of a TOML file.
///
/// # Errors
/// If it is malformed, or has another name.
pub fn parse_workload(name: &str, text: &str) -> Result<Workload, CatalogError> {
    let workload: Workload = parse(name, text)?;
    same_name(name, &workload.name)?;
    require_sound(&workload)?;
    // A slice without `timed-ms` lasts as long as its work, so it is never too short.
    let is_timed = workload.mode == Mode::Sliced && workload.timed_ms > 0;
    let keys: toml::Table = parse(name, text)?;
    let has = |key: &&str| keys.contains_key(*key);
    let of_slices = ["slices", "warm-up-ms"].into_iter().find(has).filter(|_| workload.mode == Mode::Whole);
    let texts = [("`unit` of the metric", &workload.metric.unit), ("`measures`", &workload.measures)];
    let empty = texts.into_iter().find(|(_, text)| text.trim().is_empty());
    let what = if let Some(key) = of_slices {
        return Err(malformed(name, &format!("`{key}` has no effect with `mode = \"whole\"`: leave it out")));
    } else if let Some((key, _)) = empty {
        return Err(malformed(name, &format!("{key} is empty")));
    } else if workload.most_rounds == Some(0) {
        "`most-rounds` is at least 1; verdicts need 3 rounds"
    } else if name.contains('@') {
        "a name has no `@`: `--rate` and `--cache` make such names"
    } else if workload.variant.is_some() || workload.traits != Traits::default() {
        "`variant` and `traits` do not belong in a file: fsarena sets them"
    } else if is_timed && workload.agrees_from_ms.is_some_and(|shortest| workload.timed_ms < shortest) {
        "`timed-ms` is shorter than `agrees-from-ms`: such slices were not seen to agree with whole runs"
    } else if matches!(workload.metric.measure, Measure::Seconds | Measure::SecondsPerOperation)
        && workload.metric.better == Better::Higher
    {
        "of seconds fewer are better: `better = \"lower\"`"
    } else {
        return Ok(workload);
    };
    Err(malformed(name, what))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::WORKLOADS;

    #[test]
    fn times_that_no_run_could_take_are_refused() {
        let (_, text) = WORKLOADS.iter().find(|(name, _)| *name == "randread-4k").expect("there");
        assert!(text.contains("timed-ms = "), "or this test shows nothing");
        let line =
            |line: &str| if line.starts_with("timed-ms") { "timed-ms = 9223372036854775807" } else { line }.to_owned();
        let text: Vec<String> = text.lines().map(line).collect();
        let error = parse_workload("randread-4k", &text.join("\n")).expect_err("too long").to_string();
        assert!(error.contains("`timed-ms`"), "{error}");
    }

    #[test]
    fn slices_shorter_than_those_that_agree_are_refused() {
        let (_, text) = WORKLOADS.iter().find(|(name, _)| *name == "randread-4k").expect("there");
        let with = |length: u64| {
            let own = text.lines().filter(|line| !line.starts_with("agrees-from-ms"));
            let text: Vec<&str> = own.collect();
            parse_workload("randread-4k", &format!("agrees-from-ms = {length}\n{}", text.join("\n")))
        };
        assert!(with(10).is_ok());
        assert!(with(1000).expect_err("too short").to_string().contains("`agrees-from-ms`"));
    }

    #[test]
    fn seconds_of_which_more_are_better_and_a_metric_without_unit_are_refused() {
        let of = |measure: &str, better: &str, unit: &str| {
            let (_, text) = WORKLOADS.iter().find(|(name, _)| *name == "stat-tree").expect("there");
            let own = |line: &&str| !["measure ", "better ", "unit "].iter().any(|key| line.starts_with(key));
            let text: Vec<&str> = text.lines().filter(own).collect();
            let metric = format!("[metric]\nmeasure = '{measure}'\nbetter = '{better}'\nunit = '{unit}'");
            parse_workload("stat-tree", &text.join("\n").replace("[metric]", &metric))
                .map_err(|error| error.to_string())
        };
        assert!(of("seconds", "lower", "s").is_ok() && of("operations-per-second", "higher", "stats/s").is_ok());
        assert!(of("seconds", "higher", "s").expect_err("refused").contains("fewer are better"));
        assert!(of("seconds", "lower", " ").expect_err("refused").contains("`unit`"));
    }

    #[test]
    fn names_that_options_make_are_refused() {
        let (_, text) = WORKLOADS.iter().find(|(name, _)| *name == "stat-tree").expect("there");
        let text = text.replace("name = \"stat-tree\"", "name = \"stat-tree@cold\"");
        let error = parse_workload("stat-tree@cold", &text).expect_err("refused").to_string();
        assert!(error.contains("`@`"), "{error}");
    }

    #[test]
    fn keys_without_effect_and_empty_texts_are_refused() {
        let (_, text) = WORKLOADS.iter().find(|(name, _)| *name == "axvisor").expect("there");
        assert!(parse_workload("axvisor", text).is_ok());
        let error = parse_workload("mine", text).expect_err("another name").to_string();
        assert!(error.ends_with("call the file `axvisor.toml`, or write `name = \"mine\"` in it"), "{error}");
        for (line, wanted) in [
            ("slices = 4", "`slices` has no effect"),
            ("warm-up-ms = 50", "`warm-up-ms` has no effect"),
            ("most-rounds = 0", "`most-rounds` is at least 1"),
        ] {
            let error = parse_workload("axvisor", &format!("{line}\n{text}")).expect_err("refused").to_string();
            assert!(error.contains(wanted), "{error}");
        }
    }
}
