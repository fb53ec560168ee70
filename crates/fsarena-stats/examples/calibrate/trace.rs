//! Recorded noise. The format is that of `tests/traces/extract.py`: a line per sweep with the workload, the round, the
//! sweep, and the natural logarithm of each contender's value (`-` where it is missing); `.gz` is unpacked by `gzip`.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs::read_to_string;
use std::path::Path;
use std::process::Command;

use fsarena_stats::{Round, Sweep, Workload};

use crate::noise::Noise;
use crate::world::Size;

/// Rounds that stay together when rounds of a long trace are drawn.
const BLOCK: usize = 2;

/// The noise of one regime.
#[derive(Debug, Clone)]
pub struct Trace {
    /// Whether the contenders are the same file system, so that the rounds can be used as they are.
    pub is_equal: bool,
    pub workloads: BTreeMap<String, Workload>,
    parts: Vec<Parts>,
    /// What rounds add, of all workloads, with variance 1.
    additions: Vec<Vec<f64>>,
}

/// The noise of one workload between unequal contenders, taken apart.
#[derive(Debug, Clone)]
struct Parts {
    /// Two sweeps in a row, less the round and the contenders.
    blocks: Vec<Vec<Vec<f64>>>,
    sweeps: usize,
    /// The standard deviation of what a round adds.
    between: f64,
}

impl Trace {
    /// Reads a trace.
    pub fn read(path: &Path) -> Result<Self, Box<dyn Error>> {
        let text = if path.extension().is_some_and(|extension| extension == "gz") {
            let output = Command::new("gzip").arg("-dc").arg(path).output()?;
            String::from_utf8(output.stdout)?
        } else {
            read_to_string(path)?
        };
        Self::parse(&text).map_err(|error| format!("{}: {error}", path.display()).into())
    }

    fn parse(text: &str) -> Result<Self, Box<dyn Error>> {
        let mut rounds: BTreeMap<String, BTreeMap<u32, Vec<Sweep>>> = BTreeMap::new();
        for line in text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
            let mut fields = line.split_whitespace();
            let (workload, round) = (fields.next().ok_or("no workload")?, fields.next().ok_or("no round")?);
            fields.next().ok_or("no sweep")?;
            let value = |field: &str| if field == "-" { Ok(None) } else { field.parse().map(Some) };
            let sweep: Sweep = fields.map(value).collect::<Result<_, _>>()?;
            rounds.entry(workload.to_owned()).or_default().entry(round.parse()?).or_default().push(sweep);
        }
        let workload = |rounds: BTreeMap<u32, Vec<Sweep>>| Workload {
            contenders: rounds.values().next().map_or(0, |sweeps| sweeps[0].len()),
            rounds: rounds.into_values().map(|sweeps| Round { sweeps }).collect(),
        };
        let workloads: BTreeMap<String, Workload> =
            rounds.into_iter().map(|(name, rounds)| (name, workload(rounds))).collect();
        let mut trace =
            Self { is_equal: text.contains("# equal: yes"), workloads, parts: Vec::new(), additions: Vec::new() };
        if !trace.is_equal {
            trace.take_apart();
        }
        Ok(trace)
    }

    /// A run made of this noise. Equal contenders: rounds are drawn in blocks, all workloads together, and contenders
    /// exchange their names once per run and workload. Unequal ones: sweeps are drawn in pairs, and what a round adds is drawn from
    /// all workloads and scaled to the one at hand, since a few rounds alone would repeat themselves.
    pub fn replay(&self, size: Size, noise: &mut Noise) -> Vec<Workload> {
        if self.is_equal { self.replay_rounds(size, noise) } else { self.replay_parts(size, noise) }
    }

    fn replay_rounds(&self, size: Size, noise: &mut Noise) -> Vec<Workload> {
        let available = self.workloads.values().map(|workload| workload.rounds.len()).min().unwrap_or(0);
        let offset = noise.below(BLOCK);
        let blocks = noise.permutation(available.saturating_sub(offset) / BLOCK);
        // No block twice, unless the trace is too short.
        let rounds =
            blocks.iter().cycle().flat_map(|block| (0..BLOCK).map(move |round| offset + block * BLOCK + round));
        let chosen: Vec<usize> = rounds.take(size.rounds).collect();
        let of_workload = |workload: &Workload| {
            let names = noise.permutation(workload.contenders);
            let renamed = |sweep: &Sweep| names.iter().map(|name| sweep[*name]).collect();
            let round = |number: &usize| Round {
                sweeps: workload.rounds[*number].sweeps.iter().take(size.sweeps).map(renamed).collect(),
            };
            Workload { contenders: workload.contenders, rounds: chosen.iter().map(round).collect() }
        };
        self.workloads.values().map(of_workload).collect()
    }

    fn replay_parts(&self, size: Size, noise: &mut Noise) -> Vec<Workload> {
        let of_workload = |parts: &Parts| {
            let rounds = (0..size.rounds).map(|_| self.round(parts, size.sweeps, noise)).collect();
            Workload { contenders: self.contenders(), rounds }
        };
        self.parts.iter().map(of_workload).collect()
    }

    fn round(&self, parts: &Parts, sweeps: usize, noise: &mut Noise) -> Round {
        let mut level = vec![0.0; self.contenders()];
        // Two draws, so that the few values of a short trace do not repeat themselves.
        for _ in 0..2 {
            let addition = &self.additions[noise.below(self.additions.len())];
            let scale = parts.between * noise.sign() / 2.0_f64.sqrt();
            let names = noise.permutation(addition.len());
            level.iter_mut().zip(names).for_each(|(level, name)| *level += scale * addition[name]);
        }
        let wanted = if parts.sweeps == 1 { 1 } else { sweeps };
        let mut drawn: Vec<Sweep> = Vec::new();
        while drawn.len() < wanted {
            let sign = noise.sign();
            let block = &parts.blocks[noise.below(parts.blocks.len())];
            let value = |(noise, level): (&f64, &f64)| Some(sign * noise + level);
            drawn.extend(block.iter().map(|sweep| sweep.iter().zip(&level).map(value).collect()));
        }
        drawn.truncate(wanted);
        Round { sweeps: drawn }
    }

    pub fn contenders(&self) -> usize {
        self.workloads.values().next().map_or(0, |workload| workload.contenders)
    }

    fn take_apart(&mut self) {
        for workload in self.workloads.values() {
            let (parts, mut additions) = take_apart(workload);
            self.parts.push(parts);
            self.additions.append(&mut additions);
        }
    }
}

/// Variance components by the method of moments, over sweeps without a missing value, less each sweep's mean.
fn take_apart(workload: &Workload) -> (Parts, Vec<Vec<f64>>) {
    let contenders = workload.contenders;
    let rounds: Vec<Vec<Vec<f64>>> = workload.rounds.iter().map(|round| centred(&round.sweeps)).collect();
    let sweeps = rounds[0].len();
    let of_rounds: Vec<Vec<f64>> = rounds.iter().map(|sweeps| mean(sweeps)).collect();
    let overall = mean(&of_rounds);
    let deviations: Vec<Vec<f64>> = of_rounds.iter().map(|round| minus(round, &overall)).collect();
    let count = rounds.len() as f64;
    let freedom = (contenders - 1) as f64;
    let observed = squares(&deviations) / ((count - 1.0) * freedom);
    let mut blocks = Vec::new();
    let mut within = 0.0;
    for (round, level) in rounds.iter().zip(&of_rounds) {
        // Residuals are smaller than the noise was, by the round's mean.
        let scale = (sweeps as f64 / (sweeps.max(2) - 1) as f64).sqrt();
        let residuals: Vec<Vec<f64>> =
            round.iter().map(|sweep| minus(sweep, level).iter().map(|value| value * scale).collect()).collect();
        within += squares(&residuals) / (sweeps as f64 * count * freedom);
        blocks.extend(residuals.chunks(2).map(<[_]>::to_vec));
    }
    let between = (observed - within / sweeps as f64).max(0.0);
    let scale = (observed * (count - 1.0) / count * freedom / contenders as f64).sqrt();
    let additions = deviations.iter().map(|round| round.iter().map(|value| value / scale).collect()).collect();
    (Parts { blocks, sweeps, between: (between * freedom / contenders as f64).sqrt() }, additions)
}

fn centred(sweeps: &[Sweep]) -> Vec<Vec<f64>> {
    let complete = sweeps.iter().filter_map(|sweep| sweep.iter().copied().collect::<Option<Vec<f64>>>());
    let centre = |sweep: Vec<f64>| {
        let mean = sweep.iter().sum::<f64>() / sweep.len() as f64;
        sweep.iter().map(|value| value - mean).collect()
    };
    complete.map(centre).collect()
}

fn mean(rows: &[Vec<f64>]) -> Vec<f64> {
    let columns = 0..rows[0].len();
    columns.map(|column| rows.iter().map(|row| row[column]).sum::<f64>() / rows.len() as f64).collect()
}

fn minus(left: &[f64], right: &[f64]) -> Vec<f64> {
    left.iter().zip(right).map(|(left, right)| left - right).collect()
}

fn squares(rows: &[Vec<f64>]) -> f64 {
    rows.iter().flatten().map(|value| value * value).sum()
}
