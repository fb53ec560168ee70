//! Writes a trading day as CSV to a file, or only generates it, and prints its summary:
//! `cargo run --release -p fsarena-market --example market_data -- --rows 2000000 --seed 1 --day 2016-04-11 -o day.csv`

use std::error::Error;
use std::fs::File;
use std::io;
use std::time::Instant;

use fsarena_market::{Date, Summary, TradingDay, instruments};

/// The arguments of the program.
struct Arguments {
    rows: u64,
    seed: u64,
    day: Date,
    file: Option<String>,
}

impl Arguments {
    fn of(mut words: impl Iterator<Item = String>) -> Result<Self, Box<dyn Error>> {
        let mut arguments = Self { rows: 2_000_000, seed: 1, day: "2016-04-11".parse()?, file: None };
        while let Some(name) = words.next() {
            let value = words.next().ok_or_else(|| format!("`{name}` needs a value"))?;
            match name.as_str() {
                "--rows" => arguments.rows = value.parse()?,
                "--seed" => arguments.seed = value.parse()?,
                "--day" => arguments.day = value.parse()?,
                "-o" => arguments.file = Some(value),
                _ => return Err(format!("`{name}` is none of --rows, --seed, --day and -o").into()),
            }
        }
        Ok(arguments)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let Arguments { rows, seed, day, file } = Arguments::of(std::env::args().skip(1))?;
    let day = TradingDay::new(day, seed, rows)?;
    // Generated twice. The first text is neither written nor hashed, which gives the time of the generator alone.
    let begin = Instant::now();
    day.write(&mut io::sink())?;
    let elapsed = begin.elapsed();
    let summary = match file {
        Some(path) => Summary::write(&day, &mut File::create(path)?)?,
        None => Summary::write(&day, &mut io::sink())?,
    };
    println!("day         {}", day.date());
    println!("rows        {}", summary.counts.rows);
    println!("instruments {}", instruments(day.date()).len());
    println!("bytes       {}", summary.bytes);
    println!("sha256      {}", summary.sha256);
    println!("rate        {:.0} rows per minute", rows as f64 / elapsed.as_secs_f64() * 60.0);
    Ok(())
}
