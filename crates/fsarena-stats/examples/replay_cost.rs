//! Prints what it costs to replay a long run: 10 workloads of 3 contenders that stay undecided, with a look after each
//! round. `cargo run --release --example replay_cost`.

use std::error::Error;
use std::time::Instant;

use fsarena_stats::{Observation, Rule, WorkloadData, replay};

fn main() -> Result<(), Box<dyn Error>> {
    let rule = Rule { margin: 1e-6, ..Rule::default() };
    for rounds in [75, 150, 300] {
        let run: Vec<WorkloadData> = (0..10).map(|workload| data(workload, rounds)).collect();
        let before = Instant::now();
        let verdicts = replay(&rule, &run)?;
        let open = verdicts.open().count();
        println!("{rounds} rounds: {:.0} ms, {open} workloads open", 1e3 * before.elapsed().as_secs_f64());
    }
    Ok(())
}

/// Three contenders on three lanes whose values follow no pattern and differ by nothing.
fn data(workload: u32, rounds: u32) -> WorkloadData {
    let observation = |cell: u32| {
        let (round, contender) = (cell / 3, cell % 3);
        let noise = f64::from((cell + 977 * workload).wrapping_mul(2_654_435_761) >> 8) / f64::from(1 << 24);
        let lane = Some(((round + contender) % 3) as usize);
        Observation { round, contender: contender as usize, lane, y: 0.03 * noise }
    };
    WorkloadData { contenders: 3, observations: (0..3 * rounds).map(observation).collect(), ..Default::default() }
}
