//! Prints how often the decision rule is wrong and what it finds, per kind of noise and number of rounds:
//! `cargo run --release --example calibrate [RUNS] [SEED] [WORD in a world's name]`; `gates:WORD` prints gates only.
//!
//! Worlds are synthetic, or replay the traces in `tests/traces` (or in the directory `FSARENA_TRACES`).

mod gates;
mod noise;
mod tally;
mod trace;
mod world;
mod worlds;

use std::error::Error;

use tally::{Tally, play};

/// Planned numbers of rounds.
const ROUNDS: [usize; 4] = [4, 6, 8, 11];

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let runs: u32 = arguments.next().map_or(Ok(1000), |text| text.parse())?;
    let seed: u64 = arguments.next().map_or(Ok(1), |text| text.parse())?;
    let word = arguments.next().unwrap_or_default();
    if let Some(word) = word.strip_prefix("gates:") {
        return gates::print(runs, seed, word);
    }
    println!("{runs} runs without a difference per line, {} with 5, 10 and 15 %; seed {seed}; in %", runs.div_ceil(8));
    println!(
        "wrong: runs with a wrong winner, no difference | with 10 % (standard error); eq: equivalent where 5 % apart"
    );
    println!("cover: pointwise 95 % intervals | all decision intervals of a run; lean: equal pairs that lean |");
    println!("leaning pairs 5 % apart that lean the wrong way; when: share of the budget after which 10 % was found");
    println!("{:44} rounds  wrong          found 5/10/15 %   eq    cover      lean       when", "");
    for world in worlds::all()?.iter().filter(|world| world.name.contains(&word)) {
        for rounds in ROUNDS {
            let world = worlds::with_rounds(world, rounds);
            let equal = play(&world, 0.0, runs, seed);
            let effects = [1.05_f64, 1.10, 1.15].map(|ratio| play(&world, ratio.ln(), runs.div_ceil(8), seed + 1));
            println!("{}", line(&world.name, rounds, &equal, &effects));
        }
    }
    gates::print(runs.min(1000), seed, &word)
}

fn line(name: &str, rounds: usize, equal: &Tally, effects: &[Tally; 3]) -> String {
    let percent = |part: u32, whole: u32| 100.0 * f64::from(part) / f64::from(whole.max(1));
    let share = percent(equal.wrong, equal.runs) / 100.0;
    let error = 100.0 * (share * (1.0 - share) / f64::from(equal.runs)).sqrt();
    let found = effects.map(|tally| percent(tally.found, tally.differing));
    let [five, ten, _] = effects;
    format!(
        "{name:44} {rounds:2}  {:4.1} | {:4.1} ({error:.1})  {:3.0} {:3.0} {:3.0}  {:5.2}  \
         {:4.1} | {:4.1}  {:4.1} | {:4.1}  {:.2}",
        percent(equal.wrong, equal.runs),
        percent(ten.wrong, ten.runs),
        found[0],
        found[1],
        found[2],
        percent(five.wrong_equivalent, five.apart),
        percent(equal.held, equal.pairs),
        percent(equal.covered, equal.runs),
        percent(equal.leaning, equal.equal),
        percent(five.wrong_way, five.leaning_apart),
        ten.when / f64::from(ten.found.max(1)),
    )
}
