//! Parses dbench's output.

use fsarena_engine::RunStats;
use fsarena_model::Nanos;

/// dbench's operations, and the names of the readings of their count, mean latency and maximum latency.
const OPERATIONS: [(&str, [&str; 3]); 16] = [
    ("NTCreateX", ["dbench.create", "dbench.create.avg", "dbench.create.max"]),
    ("Close", ["dbench.close", "dbench.close.avg", "dbench.close.max"]),
    ("Rename", ["dbench.rename", "dbench.rename.avg", "dbench.rename.max"]),
    ("Unlink", ["dbench.unlink", "dbench.unlink.avg", "dbench.unlink.max"]),
    ("Deltree", ["dbench.deltree", "dbench.deltree.avg", "dbench.deltree.max"]),
    ("Mkdir", ["dbench.mkdir", "dbench.mkdir.avg", "dbench.mkdir.max"]),
    ("Qpathinfo", ["dbench.qpathinfo", "dbench.qpathinfo.avg", "dbench.qpathinfo.max"]),
    ("Qfileinfo", ["dbench.qfileinfo", "dbench.qfileinfo.avg", "dbench.qfileinfo.max"]),
    ("Qfsinfo", ["dbench.qfsinfo", "dbench.qfsinfo.avg", "dbench.qfsinfo.max"]),
    ("Sfileinfo", ["dbench.sfileinfo", "dbench.sfileinfo.avg", "dbench.sfileinfo.max"]),
    ("Find", ["dbench.find", "dbench.find.avg", "dbench.find.max"]),
    ("WriteX", ["dbench.write", "dbench.write.avg", "dbench.write.max"]),
    ("ReadX", ["dbench.read", "dbench.read.avg", "dbench.read.max"]),
    ("LockX", ["dbench.lock", "dbench.lock.avg", "dbench.lock.max"]),
    ("UnlockX", ["dbench.unlock", "dbench.unlock.avg", "dbench.unlock.max"]),
    ("Flush", ["dbench.flush", "dbench.flush.avg", "dbench.flush.max"]),
];

/// The operation that is an fsync.
const FLUSH: &str = "Flush";

/// The figures of a run, without the warm-up.
#[derive(Debug, Clone, PartialEq)]
pub struct Output {
    /// 10⁶ bytes per second, read and written (`1.0e-6 * total_bytes / t` in its dbench.c).
    throughput: f64,
    /// Longest wait of a client, ms.
    max_latency: f64,
    /// Time over which the throughput is counted, in whole seconds: dbench looks once a second.
    seconds: f64,
    /// Name, count, mean latency and maximum latency in ms.
    operations: Vec<(String, [f64; 3])>,
}

impl Output {
    /// Parses dbench's output.
    ///
    /// # Errors
    /// The name of the first figure that is missing.
    pub fn of(text: &str) -> Result<Self, &'static str> {
        let last = text.lines().rfind(|line| line.starts_with("Throughput ")).ok_or("Throughput")?;
        let mut words = last.split_whitespace().skip(1);
        let throughput: f64 = number(words.next()).filter(|rate| *rate > 0.0).ok_or("Throughput above 0")?;
        if words.next() != Some("MB/sec") {
            return Err("MB/sec");
        }
        let max_latency = words.find_map(|word| word.strip_prefix("max_latency="));
        let seconds = text.lines().rev().find_map(|line| line.split(" execute ").nth(1)).ok_or("execute")?;
        let operations = operations(text);
        if !operations.iter().any(|(name, _)| name == FLUSH) {
            return Err(FLUSH);
        }
        Ok(Self {
            throughput,
            max_latency: number(max_latency).ok_or("max_latency")?,
            seconds: number(seconds.split_whitespace().next()).ok_or("seconds of execute")?,
            operations,
        })
    }

    /// Counts the run of `clients` clients into `stats`.
    pub fn count(&self, clients: u64, stats: &mut RunStats) {
        let operations: f64 = self.operations.iter().map(|(_, [count, ..])| *count).sum();
        stats.count_done(operations as u64, (self.throughput * 1e6 * self.seconds).round() as u64);
        stats.elapsed = stats.elapsed + Nanos((self.seconds * 1e9) as u64);
        stats.reported.push(("dbench.throughput", "MB/s", self.throughput));
        stats.reported.push(("dbench.max-latency", "ms", self.max_latency));
        for (name, figures) in &self.operations {
            let Some((_, names)) = OPERATIONS.iter().find(|(known, _)| known == name) else { continue };
            stats
                .reported
                .extend(names.iter().zip(["operations", "ms", "ms"]).zip(figures).map(|((n, u), f)| (*n, u, *f)));
        }
        let flushes = self.operations.iter().find(|(name, _)| name == FLUSH).map_or(0.0, |(_, [count, ..])| *count);
        stats.count_commits(flushes as u64, clients);
    }
}

fn number(word: Option<&str>) -> Option<f64> {
    word?.parse().ok().filter(|number: &f64| number.is_finite())
}

/// Parses the lines of the table of operations.
fn operations(text: &str) -> Vec<(String, [f64; 3])> {
    let lines = text.lines().skip_while(|line| !line.starts_with(" Operation ")).skip(2);
    let operation = |line: &str| {
        let mut words = line.split_whitespace();
        let name = words.next()?.to_owned();
        Some((name, [number(words.next())?, number(words.next())?, number(words.next())?]))
    };
    lines.map_while(operation).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = include_str!("dbench.txt");

    #[test]
    fn its_own_words_are_read() {
        let said = Output::of(TEXT).expect("dbench's");
        assert_eq!((said.throughput, said.max_latency, said.seconds), (416.875, 161.221, 10.0));
        assert_eq!(said.operations.len(), 14);
        assert_eq!(said.operations[13], ("Flush".to_owned(), [9303.0, 9.226, 170.999]));
        let mut stats = RunStats::new();
        said.count(12, &mut stats);
        assert_eq!((stats.operations, stats.bytes, stats.elapsed), (773_474, 4_168_750_000, Nanos::seconds(10)));
        for wanted in
            [("commits", "commits", 9303.0), ("connections", "connections", 12.0), ("dbench.flush.avg", "ms", 9.226)]
        {
            assert!(stats.reported.contains(&wanted), "{wanted:?}");
        }
    }

    #[test]
    fn what_is_missing_is_named() {
        for (lacks, what) in
            [("Throughput", "Throughput"), ("execute", "execute"), ("Flush", "Flush"), ("max_latency", "max_latency")]
        {
            assert_eq!(Output::of(&TEXT.replace(lacks, "x")), Err(what));
        }
        assert_eq!(Output::of(&TEXT.replace("Throughput 416.875", "Throughput 0")), Err("Throughput above 0"));
    }
}
