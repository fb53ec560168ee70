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

/// Number of rounds that stay together when rounds of a long trace are drawn.
const BLOCK: usize = 2;

/// The noise of one regime, recorded with contenders that are all the same file system.
#[derive(Debug, Clone)]
pub struct Trace {
    workloads: BTreeMap<String, Workload>,
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
        Ok(Self { workloads })
    }

    /// A run made of this noise: rounds are drawn in blocks, for all workloads together, and contenders are permuted
    /// once per run and workload.
    pub fn replay(&self, size: Size, noise: &mut Noise) -> Vec<Workload> {
        let available = self.workloads.values().map(|workload| workload.rounds.len()).min().unwrap_or(0);
        let offset = noise.below(BLOCK);
        let blocks = noise.permutation(available.saturating_sub(offset) / BLOCK);
        // No block is used twice, unless the trace is too short.
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

    /// Some neighbouring rounds of all workloads.
    pub fn block(&self, first: usize, rounds: usize) -> Vec<Workload> {
        let cut = |workload: &Workload| Workload {
            contenders: workload.contenders,
            rounds: workload.rounds.iter().skip(first).take(rounds).cloned().collect(),
        };
        self.workloads.values().map(cut).collect()
    }

    /// The number of rounds that all workloads have.
    pub fn rounds(&self) -> usize {
        self.workloads.values().map(|workload| workload.rounds.len()).min().unwrap_or(0)
    }

    /// The number of workloads.
    pub fn workloads(&self) -> usize {
        self.workloads.len()
    }

    /// The number of contenders.
    pub fn contenders(&self) -> usize {
        self.workloads.values().next().map_or(0, |workload| workload.contenders)
    }
}
