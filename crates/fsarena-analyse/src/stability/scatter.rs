//! Where the scatter comes from that leaves pairs undecided on a quiet machine: time on the processor, or waiting.

use fsarena_model::comparison::PairVerdict;
use fsarena_model::event::Note;
use fsarena_model::{Outcome, Severity, Trial, probe};

use crate::analysis::WorkloadTrials;
use crate::decisions::Decisions;

/// Smallest scatter that is reported: with less, more rounds decide soon.
const NOTEWORTHY: f64 = 0.04;
/// Number of complete rounds of a workload below which its scatter is not known.
const FEWEST_COMPLETE: usize = 4;

/// Sums over the values of rounds, each as a share of its contender's mean, less what all values of its round or of its
/// contender have in common.
#[derive(Default)]
struct Scatter {
    /// Of the squares of times.
    squares: f64,
    /// Of the products of times and processor times.
    products: f64,
    freedom: f64,
}

/// What the scatter of workloads with undecided pairs consists of. `None` if the machine had another load, which
/// explains enough, or if the scatter is small.
pub(crate) fn scatter(decisions: &Decisions<'_>) -> Option<Note> {
    let is_open = |index: usize| decisions.verdicts.get(index).is_some_and(|all| all.iter().any(PairVerdict::is_open));
    let workloads = decisions.analysis.workloads.iter().filter(|own| is_open(own.index));
    let mut all = Scatter::default();
    workloads.for_each(|own| all.add(own));
    let deviation = (all.squares / all.freedom).sqrt();
    if !decisions.analysis.condition.is_known_to_be_quiet() || deviation.is_nan() || deviation < NOTEWORTHY {
        return None;
    }
    // By chance the products may be negative, or exceed the squares.
    let percent = (100.0 * all.products / all.squares).clamp(0.0, 100.0).round();
    let text = format!(
        "the times of undecided workloads scatter by {:.0} % within a round, although no other load was counted then: \
         {percent:.0} % of that is processor time for the same work (processors are not always equally fast, as where \
         other guests share a host), {:.0} % is waiting; hint: four times as many rounds halve an interval",
        100.0 * deviation,
        100.0 - percent
    );
    Some(Note { severity: Severity::Warning, text })
}

impl Scatter {
    /// Adds a workload whose work runs on one processor at a time: there, time is processor time plus waiting.
    fn add(&mut self, own: &WorkloadTrials<'_>) {
        let rounds: Vec<u32> =
            own.by_contender[0].iter().map(|trial| trial.round).filter(|it| own.counts(*it)).collect();
        let of_round = |round: &u32| {
            let at = |trials: &Vec<&Trial>| per_operation(trials.iter().find(|trial| trial.round == *round)?);
            own.by_contender.iter().map(at).collect::<Option<Vec<[f64; 2]>>>()
        };
        let rows: Vec<Vec<[f64; 2]>> = rounds.iter().filter_map(of_round).collect();
        let sum = |figure: usize| rows.iter().flatten().map(|values| values[figure]).sum::<f64>();
        if rows.len() < FEWEST_COMPLETE || own.workload.is_open_loop() || sum(1) > sum(0) {
            return;
        }
        let (times, busy) = (residuals(&rows, 0), residuals(&rows, 1));
        self.squares += times.iter().map(|time| time * time).sum::<f64>();
        self.products += times.iter().zip(&busy).map(|(time, busy)| time * busy).sum::<f64>();
        self.freedom += ((rows.len() - 1) * (rows[0].len() - 1)) as f64;
    }
}

/// The seconds and processor seconds of an operation; `None` if the work failed or they could not be read.
fn per_operation(trial: &Trial) -> Option<[f64; 2]> {
    let count = Some(trial.operations() as f64).filter(|count| *count > 0.0 && trial.outcome == Outcome::Finished)?;
    Some([trial.seconds() / count, trial.probe(probe::CPU_PROCESS)? / count])
}

/// The figure in each row and column, as a share of the mean time of its column, less the means of its row and column.
fn residuals(rows: &[Vec<[f64; 2]>], figure: usize) -> Vec<f64> {
    let mean = |values: &mut dyn Iterator<Item = f64>, count: usize| values.sum::<f64>() / count as f64;
    let columns = 0..rows[0].len();
    let of_column = |figure: usize, column: usize| mean(&mut rows.iter().map(|row| row[column][figure]), rows.len());
    let times: Vec<f64> = columns.clone().map(|column| of_column(0, column)).collect();
    let shares: Vec<f64> = columns.clone().map(|column| of_column(figure, column) / times[column]).collect();
    let share = |row: &[[f64; 2]], column: usize| row[column][figure] / times[column] - shares[column];
    let of_row = |row: &Vec<[f64; 2]>| {
        let common = mean(&mut columns.clone().map(|column| share(row, column)), row.len());
        columns.clone().map(|column| share(row, column) - common).collect::<Vec<f64>>()
    };
    rows.iter().flat_map(of_row).collect()
}
