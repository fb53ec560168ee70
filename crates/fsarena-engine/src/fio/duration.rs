//! How long the jobs of a file take, as far as the file tells: by their time, or by their amount and the limits of
//! their rate (HOWTO.rst of fio).

use fsarena_model::Nanos;

use super::FioError;
use super::facts::{self, BLOCK};
use super::file::{self, JobFile, JobOption, JobSection};

/// The longest time of a section, as for workloads of the catalogue.
const LONGEST: Nanos = Nanos::seconds(24 * 3600);
/// Assumed speed of a job whose rate has no limit, bytes per second: that of writing a lane.
const SPEED: f64 = 1.5e9;
/// Options that limit how much a job does in a second.
const LIMITS: [&str; 3] = ["rate_iops", "rate", "thinktime"];

/// The first option that limits how much a job does in a second.
pub fn limit(section: &JobSection) -> Option<&JobOption> {
    LIMITS.iter().find_map(|key| section.entry(key))
}

/// Estimated duration of all jobs of the file.
pub fn lasts(file: &JobFile) -> Nanos {
    let mut total = Nanos(0);
    let mut group = Nanos(0);
    for section in &file.sections {
        if section.is_set("stonewall") {
            total = total + std::mem::take(&mut group);
        }
        group = group.max(of_section(section));
    }
    total + group
}

/// Refuses sections that take longer than [`LONGEST`].
///
/// # Errors
/// [`FioError::Line`] for each.
pub fn check(file: &JobFile) -> Result<(), FioError> {
    let long = file.sections.iter().filter(|section| of_section(section) > LONGEST);
    let refused = long.map(|section| {
        let entry = section.entry("runtime").filter(|_| section.is_set("time_based"));
        let line = entry.or(limit(section)).map_or(section.line, |entry| entry.line);
        let what = format!("section `{}` takes longer than a day", section.name);
        file.refuse(line, what, "less work, or time_based=1 with a shorter runtime")
    });
    FioError::all(refused.collect())
}

/// A `runtime` ends the work, and with `time_based` the work goes on until then.
fn of_section(section: &JobSection) -> Nanos {
    // A delay may be a range.
    let last = |text: &str| file::time(text.rsplit('-').next()?);
    let time = |key| section.value(key).and_then(last).filter(|time| time.0 > 0);
    let work = match time("runtime") {
        Some(time) if section.is_set("time_based") => time,
        Some(time) => time.min(of_amount(section)),
        None => of_amount(section),
    };
    time("startdelay").unwrap_or_default() + time("ramp_time").unwrap_or_default() + work
}

/// How long the amount of work takes: a limit of the rate is that of each job, for reads and for writes.
fn of_amount(section: &JobSection) -> Nanos {
    let number = |key| section.value(key).and_then(file::size).filter(|number| *number > 0).map(|number| number as f64);
    let files = number("filesize").map(|size| size * number("nrfiles").unwrap_or(1.0));
    let size = number("io_size").or(number("size")).or(files).unwrap_or(0.0);
    let of_direction = |(place, share): (usize, f64)| {
        let at = |key| section.value(key).and_then(|list| mean_of_direction(list, place));
        let block = ["bssplit", "bsrange", "bs"].into_iter().find_map(at).unwrap_or(BLOCK as f64);
        let bytes = size.min(number("number_ios").map_or(f64::MAX, |count| count * block));
        let bytes = bytes * share * number("loops").unwrap_or(1.0);
        let paced = |amount: f64, rate: Option<f64>| rate.map_or(0.0, |rate| amount / rate);
        let requests = bytes / block;
        (bytes, requests, paced(bytes, at("rate")).max(paced(requests, at("rate_iops"))))
    };
    let shares = match (facts::reads(section), facts::writes(section)) {
        (true, true) => {
            let reads = number("rwmixread").or(number("rwmixwrite").map(|writes| 100.0 - writes)).unwrap_or(50.0);
            [reads / 100.0, 1.0 - reads / 100.0]
        }
        (_, false) => [1.0, 0.0],
        (_, true) => [0.0, 1.0],
    };
    let [reads, writes] = [(0, shares[0]), (1, shares[1])].map(of_direction);
    let thinks = section.value("thinktime").filter(|_| section.entry("thinktime_iotime").is_none());
    let thinks = thinks.and_then(|time| file::time_in(time, "us")).unwrap_or_default().as_seconds();
    let thinks = (reads.1 + writes.1) / number("thinktime_blocks").unwrap_or(1.0) * thinks;
    let works = (reads.0 + writes.0) * number("numjobs").unwrap_or(1.0) / SPEED;
    Nanos(([reads.2, writes.2, works + thinks].into_iter().fold(0.0, f64::max) * 1e9) as u64)
}

/// The mean of the sizes that a list such as `4k,64k` has for reads (0) or writes (1). A single one is for both.
fn mean_of_direction(list: &str, place: usize) -> Option<f64> {
    let all: Vec<Vec<u64>> = file::sizes(list).collect();
    let own = all.get(place).or(all.first().filter(|_| all.len() == 1))?;
    Some(own.iter().map(|size| *size as f64).sum::<f64>() / own.len() as f64).filter(|mean| *mean > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(text: &str) -> JobFile {
        JobFile::parse("job.fio", text, &|_| None).expect("a job file")
    }

    #[test]
    fn a_job_takes_its_amount_at_its_rate_or_its_time() {
        for (lines, seconds) in [
            ("bs=64k\nsize=64m\nrate=1m", 64.0),
            ("size=4m\nrate_iops=1", 1024.0),
            ("size=4m\nrate_iops=2,1", 1024.0),
            ("size=4m\nrw=randrw\nrate_iops=2,1", 512.0),
            ("size=4m\nrw=randrw\nrwmixread=25\nrate=,1m", 3.0),
            ("size=4m\nrate=1m,", 0.0028),
            ("size=4m\nbs=,8k\nrate_iops=1", 512.0),
            ("size=4m\nbsrange=4k-12k\nrate_iops=1", 512.0),
            ("size=4m\nthinktime=1s", 1024.0),
            ("size=4m\nthinktime=1000\nthinktime_blocks=4", 0.2588),
            ("size=1500m\nloops=1000\nnumjobs=2", 2097.152),
            ("size=1500m\nio_size=1t", 733.0),
            ("size=1500m\nnumber_ios=10\nrate_iops=1", 10.0),
            ("filesize=1m\nnrfiles=8\nrate=1m\nnumjobs=4", 8.0),
            ("size=4m\nruntime=60", 0.0028),
            ("size=64m\nrate=1m\nruntime=10", 10.0),
            ("size=4m\nruntime=60\ntime_based", 60.0),
            ("size=4m\ntime_based", 0.0028),
            ("size=4m\nrate=1m\nramp_time=5\nstartdelay=1-2", 11.0),
        ] {
            let found = lasts(&job(&format!("[a]\nrw=write\n{lines}\n"))).as_seconds();
            assert!((found - seconds).abs() < 0.001 * seconds.max(0.1), "{found} for {lines}");
        }
    }

    #[test]
    fn sections_that_follow_each_other_add_up() {
        let both = job(include_str!("../../tests/fio/jobs/side-by-side.fio"));
        assert_eq!(lasts(&both), Nanos::seconds(10), "side by side");
        let text = "[global]\ntime_based\n[a]\nruntime=10\n[b]\nstonewall\nruntime=2m\nramp_time=5\n";
        assert_eq!(lasts(&job(text)), Nanos::seconds(135));
    }

    #[test]
    fn a_job_of_more_than_a_day_is_refused_with_its_line() {
        for (lines, line) in [
            ("runtime=3600000000000\ntime_based", Some(3)),
            ("runtime=99999999999999999999\ntime_based", Some(3)),
            ("runtime=2d\ntime_based=1", Some(3)),
            ("runtime=1d\ntime_based=1", None),
            ("runtime=9999d", None),
            ("rate_iops=1\nloops=1000", Some(3)),
            ("loops=999999999", Some(1)),
        ] {
            let found = check(&job(&format!("[a]\nsize=4m\n{lines}\n"))).err().map(|error| error.to_string());
            let words = line.map(|line| format!("`job.fio`, line {line}: section `a` takes longer than a day"));
            assert_eq!(found, words, "{lines}");
        }
    }
}
