//! What ran together as one job: the clones of a job (`numjobs`) without `group_reporting`, sections with the same name
//! and options, and clients. They are no repetitions of each other.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fsarena_model::joined;
use serde_json::Value;

use super::super::doubts::doubt;
use super::super::options::without_label;
use super::super::{positive, shared};
use super::{name, request, work};
use crate::findings::{FindingClass, JudgedFinding, UNEVEN};
use crate::measured::{Extent, InputFacts};

/// A job with its clones on all clients.
pub struct JobPart<'a> {
    /// With `{label}` for the file system of the label.
    pub name: String,
    work: Arc<InputFacts>,
    pub jobs: Vec<&'a Value>,
    /// When it ran: jobs of a stage ran together.
    pub stages: BTreeSet<usize>,
}

/// The jobs in the order of their first clones.
pub fn of<'a>(label: &str, value: &'a Value, jobs: &[&'a Value]) -> Vec<JobPart<'a>> {
    let mut parts: Vec<JobPart<'_>> = Vec::new();
    let (mut places, mut known) = (BTreeMap::new(), BTreeSet::new());
    // The stage of each group, and that of the job before.
    let mut stages: BTreeMap<Option<u64>, usize> = BTreeMap::new();
    let mut stage = 0;
    for &job in jobs {
        let options = work::options(value, job);
        let next = if options.as_ref().is_some_and(work::is_no_barrier) { stage } else { stages.len() };
        stage = *stages.entry(job["groupid"].as_u64()).or_insert(next);
        let work = shared(&mut known, work::work(options.as_ref()));
        let place = *places.entry((name(job), work.clone())).or_insert(parts.len());
        if place == parts.len() {
            parts.push(JobPart {
                name: without_label(name(job), label),
                work,
                jobs: Vec::new(),
                stages: BTreeSet::new(),
            });
        }
        parts[place].jobs.push(job);
        parts[place].stages.insert(stage);
    }
    let mut together: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for part in &parts {
        part.stages.iter().for_each(|stage| together.entry(*stage).or_default().push(part.name.clone()));
    }
    together.values_mut().for_each(|names| names.sort_unstable());
    for part in &mut parts {
        // Without `group_reporting`, each clone has a row.
        let asked = part.work.get("numjobs");
        let count = part.jobs.len().max(asked.and_then(|count| count.parse().ok()).unwrap_or(1)).to_string();
        let count = Some(("numjobs".to_owned(), count)).filter(|(_, count)| asked != Some(count));
        let others = part.stages.iter().find_map(|stage| beside(&together[stage], &part.name));
        if count.is_some() || others.is_some() {
            Arc::make_mut(&mut part.work).extend(count.into_iter().chain(others));
        }
    }
    parts
}

/// The other ones of jobs that ran together, in order, as a fact: of many the first ones and their number.
pub fn beside(names: &[String], own: &str) -> Option<(String, String)> {
    const NAMED: usize = 8;
    let mut others: Vec<&str> = names.iter().take(NAMED + 1).map(String::as_str).collect();
    let place = others.iter().position(|name| *name == own).unwrap_or(NAMED);
    others.remove(place);
    let more = names.len() - 1 - others.len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!others.is_empty()).then(|| ("beside".to_owned(), others.join(", ") + &more))
}

impl JobPart<'_> {
    /// What defines the work of a direction.
    pub fn work(&self, direction: &str) -> Arc<InputFacts> {
        let mut work = self.work.clone();
        if work.contains_key(work::NOT_RECORDED.0) {
            Arc::make_mut(&mut work).extend([request(self.sum(direction, "bw"), self.sum(direction, "iops"))]);
        }
        work
    }

    /// The sum of a figure over the clones.
    pub fn sum(&self, direction: &str, figure: &str) -> f64 {
        self.jobs.iter().filter_map(|job| job[direction][figure].as_f64()).sum()
    }

    /// The longest time of a direction in each group, in milliseconds; groups run one after the other.
    fn times(&self, direction: &str) -> Vec<f64> {
        let mut groups: BTreeMap<Option<u64>, f64> = BTreeMap::new();
        for job in &self.jobs {
            let group = groups.entry(job["groupid"].as_u64()).or_default();
            *group = group.max(positive(&job[direction]["runtime"]).unwrap_or_default());
        }
        groups.into_values().collect()
    }

    /// The time of a direction in milliseconds; `None` if it is not recorded.
    pub fn time(&self, direction: &str) -> Option<f64> {
        Some(self.times(direction).into_iter().sum::<f64>()).filter(|time| *time > 0.0)
    }

    /// Operations per second: the work of all over the time of the slowest, as fio computes it for a group.
    pub fn rate(&self, direction: &str) -> Option<f64> {
        let count = Some(self.sum(direction, "total_ios")).filter(|count| *count > 0.0 && self.jobs.len() > 1);
        let rate = match count.zip(self.time(direction)) {
            Some((count, time)) => 1000.0 * count / time,
            None => self.sum(direction, "iops") / self.times(direction).len() as f64,
        };
        Some(rate).filter(|rate| rate.is_finite() && *rate > 0.0)
    }

    pub fn host(&self) -> Option<String> {
        let hosts: BTreeSet<&str> = self.jobs.iter().filter_map(|job| job["hostname"].as_str()).collect();
        Some(joined(hosts, ", ")).filter(|hosts| !hosts.is_empty())
    }

    /// How many jobs it is of, which may be in one row.
    pub fn copies(&self) -> f64 {
        let asked = self.work.get("numjobs").and_then(|count| count.parse().ok());
        asked.unwrap_or(1.0_f64).max(self.jobs.len() as f64)
    }

    pub fn is_direct(&self) -> bool {
        self.work.get("direct").is_some_and(|value| value == "1")
    }

    /// How long it ran and how many bytes it moved, unless something else than its time or size ended it, or a limit
    /// of time ended what otherwise has a size.
    pub fn extent(&self, direction: &str) -> Option<Extent> {
        const REACHED: f64 = 0.95;
        const OPEN: [&str; 3] = ["exitall", "steadystate", "ss"];
        let seconds = self.time(direction)? / 1000.0;
        let limit = self.work.get("runtime").and_then(|seconds| seconds.parse::<f64>().ok());
        let is_ended = limit.is_some_and(|limit| seconds >= REACHED * limit) && !self.work.contains_key("time_based");
        let amount = Some(self.sum(direction, "io_bytes")).filter(|bytes| *bytes > 0.0 && !is_ended)?;
        (!OPEN.iter().any(|name| self.work.contains_key(*name))).then_some(Extent { seconds, amount })
    }

    /// The number of syncs; `None` if it is not recorded.
    pub fn syncs(&self) -> Option<f64> {
        let count = |job: &&Value| {
            let sync = &job["sync"];
            sync["total_ios"].as_f64().into_iter().chain(sync["lat_ns"]["N"].as_f64()).reduce(f64::max)
        };
        self.jobs.iter().map(count).sum()
    }

    /// The number of writes of a clone, as far as it is recorded.
    pub fn writes(&self, options: &BTreeMap<&str, &str>) -> Option<f64> {
        let count = self.jobs.len() as f64;
        if self.jobs.iter().any(|job| !job["write"]["total_ios"].is_null()) {
            return Some(self.sum("write", "total_ios") / count);
        }
        let bytes = Some(self.sum("write", "io_bytes")).filter(|bytes| *bytes > 0.0)?;
        let block = work::unit_base(options).bytes(options.get("bs").unwrap_or(&"4k").split(',').next()?)?;
        Some(bytes / count / block as f64).filter(|writes| writes.is_finite())
    }

    /// A doubt if clones or clients did not run at the same time: their rates do not add up. The clocks of clients may
    /// be a second apart.
    pub fn apart(&self, direction: &str) -> Option<JudgedFinding> {
        let mut groups: BTreeMap<Option<u64>, [f64; 3]> = BTreeMap::new();
        for job in &self.jobs {
            let (start, time) =
                (positive(&job["job_start"])?, positive(&job[direction]["runtime"]).unwrap_or_default());
            let [first, end, longest] = groups.entry(job["groupid"].as_u64()).or_insert([f64::INFINITY, 0.0, 0.0]);
            (*first, *end, *longest) = (first.min(start), end.max(start + time), longest.max(time));
        }
        let seconds = groups.into_values().map(|[first, end, longest]| [(end - first) / 1000.0, longest / 1000.0]);
        let [all, longest] = seconds.max_by(|one, other| (one[0] - one[1]).total_cmp(&(other[0] - other[1])))?;
        let text =
            || format!("its parts did not run at the same time: the longest took {longest:.0} s, all {all:.0} s");
        (all > UNEVEN * longest && all - longest > 1.0).then(|| doubt(text()))
    }

    /// How unequally the clones worked.
    pub fn uneven(&self, direction: &str) -> Option<JudgedFinding> {
        let rates = || self.jobs.iter().filter_map(|job| positive(&job[direction]["iops"]));
        let (low, high) = (rates().reduce(f64::min)?, rates().reduce(f64::max)?);
        (high > UNEVEN * low).then(|| JudgedFinding {
            class: FindingClass::Uneven,
            text: format!("the fastest of its parts was {:.1} times as fast as the slowest", high / low),
        })
    }
}
