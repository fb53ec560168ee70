//! `fsarena bisect`: the first kernel under which a file system is slower.
//!
//! Each step compares a kernel with the good one, in guests whose slices interleave. A kernel counts as bad if its
//! whole interval lies beyond half of the difference between the good and the bad one (half on a logarithmic scale),
//! and as good if it lies on the other side.

use std::slice;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result, bail};
use clap::{Args, Parser};
use fsarena_analyse::assess;
use fsarena_lane::Kind;
use fsarena_lane::kind::Ground;
use fsarena_model::plan::Slowdown;
use fsarena_model::{Bytes, Contender, DebianRelease, Verdict};
use fsarena_place::{End, Place, Refusal, Refusals, folders, note, require_kernels};

use super::{compare, print, table};
use crate::cli::{Compare, Global, How, candidates, guest_memory, hows};
use crate::exit::Ended;
use crate::plan;
use crate::progress::Progress;
use crate::signals::stop_flag;

#[derive(Debug, Args)]
pub struct Bisect {
    /// 'KIND[@LAYERS][:MOUNT-OPTIONS][ MKFS-ARGUMENTS]'
    #[arg(value_name = "CONTENDER", add = candidates::kinds())]
    pub contender: String,
    /// A kernel that is fast: a Debian package, or linux-6.1 for the newest of a version
    #[arg(long, value_name = "PACKAGE")]
    pub good: String,
    /// A newer kernel that is slower
    #[arg(long, value_name = "PACKAGE")]
    pub bad: String,
    /// What it is slower at: a workload, or a .toml file with one
    #[arg(long, value_name = "NAME", add = candidates::workloads())]
    pub workload: String,
    /// The kernels from old to new, packages or files of packages [default: those on Debian's mirrors]
    #[arg(long, value_name = "PACKAGE,...", value_delimiter = ',')]
    pub kernels: Vec<String>,
    /// Rounds of each comparison; one that does not tell is repeated with twice and four times as many
    #[arg(long, value_name = "N", default_value_t = 8,
        value_parser = clap::value_parser!(u32).range(3..=i64::from(MOST_ROUNDS)))]
    pub rounds: u32,
    /// Make each operation take this much longer from a kernel on, to test whether that kernel is found
    #[arg(long, value_name = "PACKAGE=PERCENT")]
    pub slowdown: Option<Slowdown>,
    /// How instructions are executed; `deterministic` counts them, which shows the smallest differences
    #[arg(long, value_name = "HOW", default_value = "auto", value_parser = hows())]
    pub guest: How,
    /// Memory of each guest
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = guest_memory)]
    pub guest_memory: Bytes,
    /// Storage of the lanes, as for `fsarena compare`
    #[arg(long, value_name = "PLACE")]
    pub storage: Option<String>,
    /// The size of each lane, as for `fsarena compare`
    #[arg(long, value_name = "SIZE")]
    pub lane_size: Option<Bytes>,
    /// Do not wait for another run to end
    #[arg(long)]
    pub no_wait: bool,
    /// Print the kernels, check the comparison, and do nothing
    #[arg(long)]
    pub dry_run: bool,
}

/// Maximum of `--rounds`: the last repeat has the most that a run can have.
const MOST_ROUNDS: u32 = 250;

/// How often a comparison that does not tell is repeated, each time with twice the rounds.
const REPEATS: u32 = 2;

/// How many times slower a kernel is than the good one, and the interval of the decision.
#[derive(Debug, Clone, Copy)]
struct Slower {
    ratio: f64,
    low: f64,
    high: f64,
    verdict: Verdict,
}

impl Slower {
    /// Whether the kernel is slower than the good one; `None` if that is not decided.
    fn is_slower(&self) -> Option<bool> {
        match self.verdict {
            Verdict::Faster => Some(true),
            Verdict::Slower | Verdict::Equivalent => Some(false),
            Verdict::Undecided | Verdict::Invalid => None,
        }
    }

    /// Whether the kernel is on the slower side of `limit`; `None` if its interval has both sides.
    fn exceeds(&self, limit: f64) -> Option<bool> {
        (self.low > limit || self.high < limit).then_some(self.low > limit)
    }
}

/// A comparison: the number of the kernel, what was measured, and whether it counts as slower, if that is known.
type BisectStep = (usize, Slower, Option<bool>);

/// Where the first slower kernel is.
#[derive(Debug, PartialEq, Eq)]
enum FirstSlower {
    /// The last kernel is not slower, or not shown to be.
    Nowhere(Verdict),
    /// After the first of these, and not after the second.
    Between(usize, usize),
}

pub fn run(global: &Global, options: &Bisect) -> Result<Ended> {
    let contender = contender(options)?;
    let stop = stop_flag()?;
    let kernels = kernels(global, options)?;
    let compared = KernelComparison { global, options, contender: &contender, kernels: &kernels, stop: &stop };
    if options.dry_run {
        print(&format!("{}\n", kernels.join("\n")))?;
    }
    compared.require_possible()?;
    if options.dry_run {
        return Ok(Ended::Well);
    }
    let mut steps = Vec::new();
    let place = search(kernels.len() - 1, &mut steps, |kernel, tells| compared.until(kernel, tells))?;
    if !steps.is_empty() {
        print(&page(&kernels, steps))?;
    }
    let (good, bad) = (&kernels[0], &kernels[kernels.len() - 1]);
    match place {
        None => {
            note!("interrupted: the first slower kernel is not found");
            return Ok(Ended::Interrupted);
        }
        Some(FirstSlower::Nowhere(Verdict::Equivalent)) => note!("{bad} is as fast as {good}, within the margin"),
        Some(FirstSlower::Nowhere(Verdict::Slower)) => note!("{bad} is faster than {good}"),
        Some(FirstSlower::Nowhere(_)) => {
            note!("{bad} is not shown to be slower than {good}");
            if options.rounds < MOST_ROUNDS {
                let more = (options.rounds << (REPEATS + 1)).min(MOST_ROUNDS);
                note!("hint: more rounds find smaller differences: --rounds {more}");
            }
        }
        Some(FirstSlower::Between(good, bad)) if bad - good == 1 => {
            note!("{} is the first slower kernel; {} is the last fast one", kernels[bad], kernels[good]);
            return Ok(Ended::Well);
        }
        Some(FirstSlower::Between(good, bad)) => {
            note!("the first slower kernel is after {}, and not after {}", kernels[good], kernels[bad]);
        }
    }
    Ok(Ended::WithFailures)
}

/// Searches the first slower one of the kernels 1 to `last`, of which 0 is the good one, and adds each comparison to
/// `steps`. `compare` compares a kernel with the good one until its second argument says that the result suffices;
/// `None` if it is stopped.
fn search(
    last: usize,
    steps: &mut Vec<BisectStep>,
    mut compare: impl FnMut(usize, &dyn Fn(&Slower) -> bool) -> Result<Option<Slower>>,
) -> Result<Option<FirstSlower>> {
    let Some(whole) = compare(last, &|slower| slower.is_slower().is_some())? else { return Ok(None) };
    steps.push((last, whole, whole.is_slower()));
    if whole.is_slower() != Some(true) {
        return Ok(Some(FirstSlower::Nowhere(whole.verdict)));
    }
    let (mut good, mut bad, limit) = (0, last, whole.ratio.sqrt());
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        let Some(slower) = compare(middle, &|slower| slower.exceeds(limit).is_some())? else { return Ok(None) };
        steps.push((middle, slower, slower.exceeds(limit)));
        match slower.exceeds(limit) {
            Some(true) => bad = middle,
            Some(false) => good = middle,
            None => break,
        }
    }
    Ok(Some(FirstSlower::Between(good, bad)))
}

/// The contender, whose kernels are those of the bisection.
fn contender(options: &Bisect) -> Result<Contender> {
    let (mut contenders, _) = plan::contenders(slice::from_ref(&options.contender), Vec::new())?;
    let contender = contenders.pop().context("a contender is named")?;
    let has_kernel = |kind: &Kind| matches!(kind.ground, Ground::Lane | Ground::Memory);
    if !fsarena_lane::kind(&contender.kind).is_some_and(has_kernel) || contender.disk.is_some() {
        let text = format!("`{}` cannot be tried under several kernels at the same time", contender.label);
        bail!(Refusal::wrong_use(text, "name a file system of a guest's own kernel, such as ext4 or `ext4@luks`"));
    }
    match &contender.kernel {
        None => Ok(contender),
        Some(kernel) => {
            let text = format!("`{}` names the kernel {kernel}, and a bisection tries several", contender.label);
            bail!(Refusal::wrong_use(text, "leave it out: --good and --bad name the first kernel and the last one"))
        }
    }
}

/// The kernels from the good one to the bad one.
fn kernels(global: &Global, options: &Bisect) -> Result<Vec<String>> {
    let mut all = options.kernels.clone();
    if all.is_empty() {
        let progress = Progress::new(global);
        all = fsarena_guest::kernels(&folders::cache()?, &mut |what| progress.prepare(what))?;
        progress.end();
    }
    let place = |wanted: &str| {
        fsarena_guest::named(&all, wanted).ok_or_else(|| {
            let text = format!("there is no kernel `{wanted}`");
            Refusal::wrong_use(text, format!("the kernels: {}; --kernels names others", all.join(", ")))
        })
    };
    let (good, bad) = (place(&options.good)?, place(&options.bad)?);
    if good >= bad {
        let text = format!("`{}` is not before `{}` in the list of kernels", all[good], all[bad]);
        let hint = "--good is the older kernel, --bad the newer one; --kernels has kernels from old to new";
        bail!(Refusal::wrong_use(text, hint));
    }
    all.truncate(bad + 1);
    Ok(all.split_off(good))
}

/// Comparisons of kernels with the first one.
struct KernelComparison<'a> {
    global: &'a Global,
    options: &'a Bisect,
    contender: &'a Contender,
    kernels: &'a [String],
    stop: &'a AtomicBool,
}

impl KernelComparison<'_> {
    /// Refuses a bisection that is known to be impossible.
    fn require_possible(&self) -> Result<()> {
        let mut refusals = Refusals::default();
        // Those of the mirrors are there.
        let named = self.kernels.iter().map(String::as_str).filter(|_| !self.options.kernels.is_empty());
        refusals.take(require_kernels(&DebianRelease::default(), named));
        let compared = self.arguments(self.kernels.len() - 1, self.options.rounds)?;
        if let Some((plan, mut notes)) = refusals.take(plan::plan(&compared)) {
            if plan.workloads.len() > 1 {
                let text = format!("`{}` is more than one workload", self.options.workload);
                refusals.add(Refusal::wrong_use(text, "name the one at which the newer kernel is slower"));
            }
            if let Place::Guest(guest) = compared.setup.place.chosen(&plan, &mut notes)? {
                refusals.take(guest.require_possible(&plan));
                if self.options.dry_run {
                    refusals.take(guest.require_room(&plan));
                }
            }
        }
        refusals.end()
    }

    /// Compares until `tells` says that the result suffices, at most [`REPEATS`] times more, each with twice the
    /// rounds.
    fn until(&self, kernel: usize, tells: &dyn Fn(&Slower) -> bool) -> Result<Option<Slower>> {
        let mut rounds = self.options.rounds;
        loop {
            let slower = self.compare(kernel, rounds)?;
            if rounds == self.options.rounds << REPEATS || slower.as_ref().is_none_or(tells) {
                return Ok(slower);
            }
            rounds *= 2;
        }
    }

    /// The arguments of the comparison of a kernel with the first one.
    fn arguments(&self, kernel: usize, rounds: u32) -> Result<Compare> {
        let Bisect { workload, guest, guest_memory, .. } = self.options;
        let guest = guest.0.map_or("auto".to_owned(), |how| how.to_string());
        let (good, tested) = (self.contender("good", 0)?, self.contender("tested", kernel)?);
        let (rounds, memory) = (rounds.to_string(), guest_memory.0.to_string());
        let words = ["compare", &good, &tested, "--workload", workload, "--rounds", &rounds];
        let words = words.into_iter().chain(["--guest", &guest, "--baselines", "never", "--guest-memory", &memory]);
        let words = words.chain(self.options.no_wait.then_some("--no-wait")).map(str::to_owned);
        let words = words.chain(self.options.storage.iter().map(|storage| format!("--storage={storage}")));
        let words = words.chain(self.options.lane_size.iter().map(|size| format!("--lane-size={}", size.0)));
        let words = words.chain(self.slowdown(kernel)?.into_iter().flat_map(|typed| ["--slowdown".to_owned(), typed]));
        Compare::try_parse_from(words).context("the comparison")
    }

    fn compare(&self, kernel: usize, rounds: u32) -> Result<Option<Slower>> {
        let options = self.arguments(kernel, rounds)?;
        let done = compare::record(self.global, &options, self.stop)?;
        let Some((record, _)) = done.filter(|(_, end)| *end == End::Complete) else { return Ok(None) };
        let comparison = assess(&record);
        let pair = comparison.judged.verdicts.first().context("a comparison of two has a pair")?;
        let missing = || {
            let text = format!("{} and {} were not compared: {}", self.kernels[0], self.kernels[kernel], pair.reason());
            Refusal::trial(text, format!("fsarena report {} says more", comparison.run.number))
        };
        let (ratio, low) = pair.estimate.ratio.zip(pair.decision.low).ok_or_else(missing)?;
        let slower = Slower { ratio, low, high: pair.decision.high.ok_or_else(missing)?, verdict: pair.verdict };
        note!("{} takes {:.3} times the time [{low:.3}, {:.3}]", self.kernels[kernel], ratio, slower.high);
        Ok(Some(slower))
    }

    /// The contender under a kernel, as it is typed.
    fn contender(&self, label: &str, kernel: usize) -> Result<String> {
        let kernel = Some(self.kernels[kernel].clone());
        let spelling = Contender { label: label.into(), kernel, ..self.contender.clone() }.spelling();
        spelling.context("a contender that was typed can be typed")
    }

    /// The injected slowdown, if `kernel` is one that has it.
    fn slowdown(&self, kernel: usize) -> Result<Option<String>> {
        let Some(slowdown) = &self.options.slowdown else { return Ok(None) };
        let first = fsarena_guest::named(self.kernels, &slowdown.label.0).ok_or_else(|| {
            let text = format!("there is no kernel `{}` to be slowed", slowdown.label);
            Refusal::wrong_use(text, "bisect --dry-run lists them")
        })?;
        if first == 0 {
            let text = format!("`{}` is the good kernel, with which the others are compared", slowdown.label);
            bail!(Refusal::wrong_use(text, "slow a later one"));
        }
        Ok((kernel >= first).then(|| format!("tested={}%", slowdown.share.0 * 100.0)))
    }
}

/// The comparisons as a table, in the order of the kernels.
fn page(kernels: &[String], mut steps: Vec<BisectStep>) -> String {
    steps.sort_by_key(|(kernel, ..)| *kernel);
    let rows = steps.into_iter().map(|(kernel, slower, is_slower)| {
        let finding = match is_slower {
            Some(true) => "slower",
            Some(false) => "like the good one",
            None => "not decided",
        };
        let interval = format!("[{:.3}, {:.3}]", slower.low, slower.high);
        [kernels[kernel].clone(), format!("{:.3}", slower.ratio), interval, finding.to_owned()]
    });
    table(["kernel", "times the time", "interval", "finding"], rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slower(ratio: f64, width: f64) -> Slower {
        let (low, high) = (ratio / width, ratio * width);
        Slower { ratio, low, high, verdict: if low > 1.0 { Verdict::Faster } else { Verdict::Undecided } }
    }

    /// Searches among kernels with these ratios, whose intervals reach from a ratio divided by `width` to a ratio times
    /// `width`.
    fn searched(ratios: &[f64], width: f64) -> (FirstSlower, Vec<usize>) {
        let mut steps = Vec::new();
        let place = search(ratios.len() - 1, &mut steps, |kernel, _| Ok(Some(slower(ratios[kernel], width))));
        (place.expect("no error").expect("not stopped"), steps.into_iter().map(|(kernel, ..)| kernel).collect())
    }

    #[test]
    fn the_first_slower_kernel_is_found() {
        for first in 1..9 {
            let ratios: Vec<f64> = (0..9).map(|kernel| if kernel < first { 1.01 } else { 1.2 }).collect();
            let (place, compared) = searched(&ratios, 1.05);
            assert_eq!(place, FirstSlower::Between(first - 1, first));
            assert!(compared.len() <= 4, "{compared:?}");
        }
    }

    #[test]
    fn a_kernel_on_neither_side_leaves_a_range() {
        assert_eq!(searched(&[1.0, 1.0, 1.1, 1.2, 1.2], 1.05), (FirstSlower::Between(0, 4), vec![4, 2]));
        assert_eq!(searched(&[1.0, 1.1, 1.2, 1.2, 1.2], 1.05), (FirstSlower::Between(0, 2), vec![4, 2, 1]));
    }

    #[test]
    fn without_a_slower_kernel_there_is_nothing_to_search() {
        let nowhere = FirstSlower::Nowhere(Verdict::Undecided);
        assert_eq!(searched(&[1.0, 1.0, 1.01], 1.05), (nowhere, vec![2]));
    }

    #[test]
    fn a_decided_comparison_of_the_whole_range_suffices() {
        for verdict in [Verdict::Faster, Verdict::Slower, Verdict::Equivalent, Verdict::Undecided] {
            let mut suffices = None;
            let place = search(1, &mut Vec::new(), |_, tells| {
                let slower = Slower { verdict, ..slower(1.2, 1.05) };
                suffices = Some(tells(&slower));
                Ok(Some(slower))
            });
            let found = match verdict {
                Verdict::Faster => FirstSlower::Between(0, 1),
                other => FirstSlower::Nowhere(other),
            };
            assert_eq!(place.expect("no error"), Some(found));
            assert_eq!(suffices, Some(verdict != Verdict::Undecided), "{verdict:?}");
        }
    }
}
