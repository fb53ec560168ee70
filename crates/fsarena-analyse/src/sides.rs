//! Two sides of runs that were not interleaved: what both measured alike, and by how much it changed.

use fsarena_model::comparison::{BaselineRow, Cell};
use fsarena_model::difference::Contrast;
use fsarena_model::{BaselineKind, Better, Label, Share, Trial, ValidityClass, Workload, distinct};
use fsarena_stats::{Drift, Quantity, Reduced, Shift, Unchanged, mean_session, session, shifts, shifts_with};

use crate::analysis::Analysis;
use crate::decisions::Decisions;
use crate::difference::NamedRun;
use crate::evidence::sweeps;
use crate::{baselines, contrasts};

/// The runs of both sides, and what is derived from each of them once.
pub(crate) struct Sides<'a> {
    pub(crate) before: Vec<Decisions<'a>>,
    pub(crate) after: Vec<Decisions<'a>>,
    pub(crate) control: Option<&'a Label>,
}

/// A contender in a workload, or in all of them together, on both sides.
pub(crate) struct Compared {
    /// The workload; `None` for the mean over all of them.
    pub(crate) workload: Option<Workload>,
    pub(crate) contender: Label,
    /// `None` if a run has fewer than three rounds of it; for the mean, if fewer than two workloads can be compared.
    pub(crate) shift: Option<Shift>,
    /// Rounds of both sides, in all.
    pub(crate) rounds: [usize; 2],
    /// Why there is no shift, or what the mean leaves out; empty if neither.
    pub(crate) caveat: String,
}

/// Why a workload is not compared.
const FEW_ROUNDS: &str = "fewer than three rounds in a run";

/// Why there is no mean over workloads.
const FEW_WORKLOADS: &str = "fewer than two workloads can be compared";

/// `b is slowed down on purpose`, of those of the contenders that a run slows down; empty if there is none.
pub(crate) fn slowed<'a>(runs: impl IntoIterator<Item = &'a Analysis<'a>>, labels: &[&Label]) -> String {
    let of = |run: &Analysis<'_>| {
        let slowed = labels.iter().filter(|label| run.record.plan.slowdown(label) > 0.0);
        slowed.map(|label| format!("{label} is slowed down on purpose")).collect::<Vec<_>>()
    };
    distinct(runs.into_iter().flat_map(of)).join(", ")
}

/// The texts that are not empty.
pub(crate) fn joined(texts: [String; 2]) -> String {
    texts.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("; ")
}

/// At most that many workloads are named that a mean leaves out.
const NAMED: usize = 3;

/// The workloads that a mean leaves out; empty if none.
pub(crate) fn left_out_of_mean(names: &[&str]) -> String {
    match names.len() {
        0 => String::new(),
        1..=NAMED => format!("without {}", names.join(", ")),
        count => format!("without {count} workloads that cannot be compared"),
    }
}

impl Decisions<'_> {
    pub(crate) fn cell(&self, workload: &Workload, contender: &Label) -> Option<&Cell> {
        let own = self.analysis.workload(&workload.name)?;
        Some(&self.cells[own.index][self.analysis.contender(contender)?])
    }

    /// The values of a contender in the rounds that count, each slice relative to the control's of the same sweep.
    fn session(&self, name: &str, contender: &Label, control: Option<&Label>) -> Option<Reduced> {
        let own = self.analysis.workload(name)?;
        let last = own.all.iter().map(|trial| trial.round).max()?;
        let labels: Vec<&Label> = [contender].into_iter().chain(control).collect();
        let values = |round: u32| {
            let trials: Vec<&Trial> = own.all.iter().copied().filter(|trial| trial.round == round).collect();
            let sweeps = sweeps(own.workload, &labels, &trials).sweeps.into_iter();
            sweeps.filter_map(|sweep| Some(sweep[0]? - sweep.get(1).map_or(Some(0.0), |control| *control)?)).collect()
        };
        let counting = (1..=last).filter(|round| own.counts(*round));
        Some(session(&counting.map(values).collect::<Vec<Vec<f64>>>()))
    }
}

impl<'a> Sides<'a> {
    pub(crate) fn of(before: &'a [NamedRun], after: &'a [NamedRun], control: Option<&'a Label>) -> Self {
        let side = |runs: &'a [NamedRun]| runs.iter().map(|run| Decisions::new(&run.record)).collect();
        let [before, after] = [before, after].map(side);
        Self { before, after, control }
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Decisions<'a>> {
        self.before.iter().chain(&self.after)
    }

    fn analyses(&self) -> Vec<&Analysis<'a>> {
        self.all().map(|run| &run.analysis).collect()
    }

    /// The workloads that all runs do alike, in the order of the first run.
    pub(crate) fn workloads(&self) -> Vec<&'a Workload> {
        common_workloads(&self.analyses())
    }

    /// The contenders that all runs have, in the order of the first run, without the control.
    pub(crate) fn contenders(&self) -> Vec<&'a Label> {
        let all = common_contenders(&self.analyses()).into_iter();
        all.filter(|label| Some(*label) != self.control).collect()
    }

    /// What else differs between both sides.
    pub(crate) fn contrasts(&self) -> Vec<Contrast> {
        let [before, after] = [&self.before, &self.after].map(|runs| runs.iter().map(|run| &run.analysis).collect());
        contrasts::between(before, after)
    }

    /// Why workloads and contenders are not compared.
    pub(crate) fn left_out(&self) -> Vec<String> {
        left_out(&self.analyses())
    }

    fn quantity(&self, workload: &str, contender: &Label) -> Quantity {
        let of = |runs: &[Decisions<'_>]| sessions(runs, workload, contender, self.control);
        Quantity { before: of(&self.before), after: of(&self.after) }
    }

    /// The drift, and the change of each contender in each workload and in all of them.
    pub(crate) fn compared(&self) -> (Drift, Vec<Compared>) {
        let (workloads, contenders) = (self.workloads(), self.contenders());
        let of_contender = |contender: &&'a Label| {
            workloads.iter().map(|workload| self.quantity(&workload.name, contender)).collect::<Vec<_>>()
        };
        let known: Vec<Quantity> = contenders.iter().flat_map(of_contender).collect();
        let (assumed, unchanged) = match self.control {
            Some(_) => (Drift::ASSUMED_RELATIVE, Vec::new()),
            None => (Drift::ASSUMED, self.baselines(&workloads).into_iter().map(|row| row.logs).collect()),
        };
        let (drift, shifts) = shifts(&known, &unchanged, assumed);
        let count = workloads.len().max(1);
        let of_contenders = contenders.iter().zip(known.chunks(count).zip(shifts.chunks(count)));
        let mean = |(contender, (known, _)): (&&Label, (&[Quantity], _))| self.mean(contender, &workloads, known);
        let (means, caveats): (Vec<Quantity>, Vec<String>) = of_contenders.clone().map(mean).unzip();
        let of_means = means.iter().zip(shifts_with(&means, drift)).zip(caveats);
        let row =
            |contender: &Label, workload: Option<&Workload>, (quantity, shift): (&Quantity, _), caveat| Compared {
                workload: workload.cloned(),
                contender: contender.clone(),
                shift,
                rounds: quantity.rounds(),
                caveat,
            };
        let mut all = Vec::new();
        for ((contender, (known, shifts)), (mean, caveat)) in of_contenders.zip(of_means) {
            let labels: Vec<&Label> = self.control.into_iter().chain([*contender]).collect();
            let slowed = slowed(self.analyses(), &labels);
            for (workload, (quantity, shift)) in workloads.iter().zip(known.iter().zip(shifts)) {
                let caveat = if shift.is_none() { FEW_ROUNDS.to_owned() } else { String::new() };
                all.push(row(contender, Some(workload), (quantity, *shift), joined([caveat, slowed.clone()])));
            }
            all.extend((workloads.len() > 1).then(|| row(contender, None, mean, joined([caveat, slowed]))));
        }
        (drift, all)
    }

    /// The mean of a contender over the workloads in which it can be compared, and which it leaves out; the mean is
    /// empty if there are fewer than two.
    fn mean(&self, contender: &Label, workloads: &[&Workload], known: &[Quantity]) -> (Quantity, String) {
        let is_comparable = |(workload, quantity): &(&&Workload, &Quantity)| {
            quantity.is_known() && !self.flags(workload, contender).iter().any(|class| class.forbids_verdict())
        };
        let (with, without): (Vec<_>, Vec<_>) = workloads.iter().zip(known).partition(is_comparable);
        if with.len() < 2 {
            return (Quantity::default(), FEW_WORKLOADS.to_owned());
        }
        let mean = |runs: usize, pick: fn(&Quantity) -> &Vec<Reduced>| {
            let mean = |run: usize| mean_session(&with.iter().map(|(_, own)| &pick(own)[run]).collect::<Vec<_>>());
            (0..runs).filter_map(mean).collect()
        };
        let quantity = Quantity {
            before: mean(self.before.len(), |own| &own.before),
            after: mean(self.after.len(), |own| &own.after),
        };
        (quantity, left_out_of_mean(&without.iter().map(|(workload, _)| workload.name.as_str()).collect::<Vec<_>>()))
    }

    /// The validity flags of a contender in a workload in any of the runs, each once.
    pub(crate) fn flags(&self, workload: &Workload, contender: &Label) -> Vec<ValidityClass> {
        let cells = self.all().filter_map(|run| run.cell(workload, contender));
        distinct(cells.flat_map(|cell| &cell.validity).map(|flag| flag.class))
    }

    /// The baselines that all runs measured.
    pub(crate) fn baselines(&self, workloads: &[&Workload]) -> Vec<BaselineLogs> {
        let rows = |runs: &[Decisions<'_>]| runs.iter().map(|run| baselines::rows(&run.analysis)).collect::<Vec<_>>();
        let (before, after) = (rows(&self.before), rows(&self.after));
        let logs = |row: &BaselineRow, better: Better, runs: &[Vec<BaselineRow>]| {
            let is_same = |other: &&BaselineRow| other.workload == row.workload && other.kind == row.kind;
            let value = |run: &Vec<BaselineRow>| run.iter().find(is_same).and_then(|row| row.median);
            runs.iter().map(|run| value(run).map(|value| better.oriented_ln(value))).collect::<Option<Vec<f64>>>()
        };
        let row = |row: &BaselineRow| {
            let workload = workloads.iter().find(|workload| workload.name == row.workload.as_str())?;
            // A rate of programs, instead of the workload's figure.
            let is_start = row.kind == BaselineKind::Start;
            let better = if is_start { Better::Higher } else { workload.metric.better };
            let logs = Unchanged { before: logs(row, better, &before)?, after: logs(row, better, &after)? };
            let what = format!("{}, {}", row.workload, place(row.kind));
            Some(BaselineLogs { what, unit: row.unit.clone(), better, logs })
        };
        before.first().into_iter().flatten().filter_map(row).collect()
    }

    /// The share within which differences count as equivalent.
    pub(crate) fn margin(&self) -> Share {
        self.before.first().map_or(Share(0.05), |run| run.analysis.record.plan.margin)
    }
}

/// The values of a contender in each of the runs, relative to the control's; none if a run does not have it.
pub(crate) fn sessions(
    runs: &[Decisions<'_>],
    workload: &str,
    contender: &Label,
    control: Option<&Label>,
) -> Vec<Reduced> {
    let sessions = runs.iter().map(|run| run.session(workload, contender, control));
    sessions.collect::<Option<_>>().unwrap_or_default()
}

/// The workloads that all runs do alike, in the order of the first run.
pub(crate) fn common_workloads<'a>(runs: &[&Analysis<'a>]) -> Vec<&'a Workload> {
    let is_alike = |workload: &&Workload| {
        let mut others = runs.iter().map(|run| run.workload(&workload.name));
        others.all(|other| other.is_some_and(|other| workload.unlike(other.workload).is_empty()))
    };
    runs.iter().take(1).flat_map(|run| &run.record.plan.workloads).filter(is_alike).collect()
}

/// The contenders that all runs have, in the order of the first run.
pub(crate) fn common_contenders<'a>(runs: &[&Analysis<'a>]) -> Vec<&'a Label> {
    let first = runs.iter().take(1).flat_map(|run| run.labels());
    first.filter(|label| runs.iter().all(|run| run.contender(label).is_some())).collect()
}

/// Why workloads and contenders are not compared.
pub(crate) fn left_out(runs: &[&Analysis<'_>]) -> Vec<String> {
    let mut reasons: Vec<String> = Vec::new();
    for run in runs {
        for (own, other) in run.workloads.iter().flat_map(|own| runs.iter().map(move |other| (own, other))) {
            let name = &own.workload.name;
            match other.workload(name).map(|other| own.workload.unlike(other.workload)) {
                None => reasons.push(format!("{name}: not in all runs")),
                Some(unlike) if unlike.is_empty() => {}
                Some(unlike) => reasons.push(format!("{name}: other work ({})", unlike.join(", "))),
            }
        }
        let missing = run.labels().filter(|label| runs.iter().any(|other| other.contender(label).is_none()));
        reasons.extend(missing.map(|label| format!("{label}: not in all runs")));
    }
    distinct(reasons)
}

/// A baseline on both sides.
pub(crate) struct BaselineLogs {
    pub(crate) what: String,
    pub(crate) unit: String,
    pub(crate) better: Better,
    /// Larger is better.
    pub(crate) logs: Unchanged,
}

fn place(kind: BaselineKind) -> &'static str {
    match kind {
        BaselineKind::Memory => "in memory",
        BaselineKind::Device => "on the bare device",
        BaselineKind::Start => "starts of programs",
    }
}
