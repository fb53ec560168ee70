//! MPI programs: how their processes are started on this machine or on several, and what they have in common.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::atomic::AtomicBool;

use fsarena_engine::{
    Abilities, EngineError, Launch, Need, Operation, Programs, RunStats, Scratch, Spanning, sync_and_drop_caches,
};
use fsarena_model::{Bytes, Nanos, Probe, Workload};
use fsarena_sys::clock;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::tool::Tool;

/// Starts processes on this machine.
const MPIRUN: Need = Need::new("mpirun", "openmpi-bin");

/// Source of both programs, which Debian does not package.
const SOURCE: &str = "https://github.com/hpc/ior";

/// Stands for the number of processes in the words of a launcher.
const PROCESSES: &str = "{processes}";

/// Maximum number of processes on a machine, and of machines.
const MOST: u32 = 4096;

/// Open MPI, versions 4 and 5: root may start it, and there may be more processes than processors. Other
/// implementations allow both and ignore these.
const VARIABLES: [(&str, &str); 4] = [
    ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
    ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
    ("OMPI_MCA_rmaps_base_oversubscribe", "1"),
    ("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe"),
];

/// How the processes of a program are started.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Start {
    /// Processes on each machine, 1 to 4096.
    #[serde(skip)]
    pub processes: u32,
    /// Number of machines, 1 to 4096.
    pub machines: u32,
    /// The words before the program, with `{processes}` for the number of all processes; empty: `mpirun` on this
    /// machine.
    pub launch: Vec<String>,
    /// Whether another machine starts the program, and this one only has a directory and drops its caches.
    pub held: bool,
}

impl Default for Start {
    fn default() -> Self {
        Self { processes: 1, machines: 1, launch: Vec::new(), held: false }
    }
}

impl Start {
    /// What is wrong with it.
    pub fn mistake(&self) -> Option<&'static str> {
        let is_number = |number: u32| (1..=MOST).contains(&number);
        let is_sound = is_number(self.processes) && is_number(self.machines);
        (!is_sound).then_some("`processes` are 1 to 4096, and so are `machines`")
    }

    /// Number of processes on all machines.
    pub fn all(&self) -> u64 {
        u64::from(self.processes) * u64::from(self.machines)
    }

    /// The words that start `program` in `directory` on all machines.
    fn words(&self, mpirun: &str, directory: &str, program: &[String]) -> Vec<String> {
        let own = [mpirun, "-n", PROCESSES].map(str::to_owned);
        let launch = if self.launch.is_empty() { own.as_slice() } else { self.launch.as_slice() };
        let launch = launch.iter().map(|word| word.replace(PROCESSES, &self.all().to_string()));
        // The programs take an `@` in a path for a separator of paths, so they get none.
        let inside = ["env", "-C", directory].map(str::to_owned);
        launch.chain(inside).chain(program.iter().cloned()).collect()
    }

    /// The command line of `program`, for the report.
    fn shown(&self, program: &[String]) -> String {
        self.words(MPIRUN.program, "LANE", program).join(" ")
    }

    /// The programs that have to be installed here, and the command lines of the program `name` with these options.
    pub fn programs(&self, name: &'static str, options: impl Iterator<Item = Vec<String>>) -> Programs {
        let starter = self.launch.is_empty().then_some(MPIRUN);
        let needs = [Need::new(name, SOURCE)].into_iter().chain(starter);
        Programs {
            needs: needs.map(|need| Need { version: "", ..need }).collect(),
            settings: options.map(|options| self.shown(&[vec![name.to_owned()], options].concat())).collect(),
        }
    }
}

/// The abilities of an engine of such a program.
pub fn abilities(programs: fn(&Workload) -> Programs) -> Abilities {
    Abilities { programs: Some(programs), spanning: Some(Spanning { launched, held }), ..Abilities::default() }
}

/// The workload as these words start its program on several machines.
fn launched(workload: &Workload, launch: &Launch) -> Workload {
    with(workload, json!({ "machines": launch.machines, "launch": launch.words }))
}

/// The workload of a machine on which another one starts the program.
fn held(workload: &Workload) -> Workload {
    with(workload, json!({ "held": true }))
}

/// The workload with these fields of [`Start`].
fn with(workload: &Workload, fields: Value) -> Workload {
    let mut workload = workload.clone();
    let parameters = workload.parameters.as_object_mut();
    let start = parameters.map(|parameters| parameters.entry("start").or_insert_with(|| json!({})));
    if let (Some(start), Value::Object(fields)) = (start.and_then(Value::as_object_mut), fields) {
        start.extend(fields);
    }
    workload
}

/// A program whose processes work in one directory at the same time.
pub struct Mpi {
    name: &'static str,
    start: Start,
    directory: PathBuf,
    /// For its output.
    scratch: Scratch,
}

/// What a program wrote, and how long it took with its start.
pub struct Ran {
    /// Both of its streams.
    pub text: String,
    /// From before its start until after its end.
    pub around: Nanos,
}

impl Mpi {
    /// The program `name`, which works in `directory`.
    pub fn new(name: &'static str, start: Start, directory: &Path) -> Result<Self, EngineError> {
        Ok(Self { name, start, directory: directory.to_owned(), scratch: Scratch::new()? })
    }

    /// Whether another machine starts it.
    pub fn is_held(&self) -> bool {
        self.start.held
    }

    /// Runs it with these options; `None` if it was stopped.
    pub fn run(&self, options: &[String], stop: &AtomicBool) -> Result<Option<Ran>, EngineError> {
        let mpirun = if self.start.launch.is_empty() { MPIRUN.found()? } else { String::new() };
        let program: Vec<String> = [self.name.to_owned()].into_iter().chain(options.iter().cloned()).collect();
        let argv = self.start.words(&mpirun, &self.directory.display().to_string(), &program);
        // The directory may exist on other machines only.
        let tool = Tool { name: self.name, argv, user: None, directory: Path::new("/"), streams: self.scratch.path() };
        let variables = VARIABLES.map(|(name, value)| (name, value.to_owned()));
        let begin = clock::now();
        // mpirun ends its processes on all machines when it ends. Its sockets and shared memory have its process ID.
        let Some(ended) = tool.run_among_others(&variables, stop)? else { return Ok(None) };
        let around = clock::now().saturating_sub(begin);
        Ok(Some(Ran { text: [ended.stdout, ended.stderr].join("\n"), around }))
    }

    /// Runs it untimed.
    ///
    /// # Errors
    /// If it fails, or was stopped.
    pub fn finish(&self, options: &[String], stop: &AtomicBool) -> Result<Ran, EngineError> {
        self.run(options, stop)?.ok_or_else(|| self.failed("it was stopped"))
    }

    /// Drops what this machine has in memory.
    pub fn drop_caches(&self, stop: &AtomicBool) -> Result<(), EngineError> {
        sync_and_drop_caches(&self.directory, stop)
    }

    /// The error that says this of the program.
    pub fn failed(&self, words: &str) -> EngineError {
        EngineError::Program { program: self.name, words: words.to_owned() }
    }
}

/// The lines of one program's table of its processes, checked: each process has one line.
///
/// # Errors
/// In words: the program has not written the table, or not all processes belong to one program.
pub fn complete<Row>(rows: Vec<(u64, Row)>, processes: u64) -> Result<Vec<Row>, String> {
    let numbers: Vec<u64> = rows.iter().map(|(number, _)| *number).collect();
    if numbers.is_empty() {
        return Err(format!("it wrote no times of its processes: version 4.0 or later is needed ({SOURCE})"));
    }
    if numbers.len() as u64 == processes && numbers.iter().all(|number| *number == 0) && processes > 1 {
        return Err(format!(
            "{processes} programs of one process each were started, not one of {processes}: its MPI does not \
             understand the launcher (with srun, SLURM_MPI_TYPE=pmix may help)"
        ));
    }
    if !numbers.iter().copied().eq(0..processes) {
        return Err(format!("it wrote the times of processes {numbers:?}; {processes} were started"));
    }
    Ok(rows.into_iter().map(|(_, row)| row).collect())
}

/// A field of a line, by its position.
pub fn field<T: FromStr>(fields: &[&str], position: usize) -> Option<T> {
    fields.get(position)?.trim().parse().ok()
}

/// What all processes of a run have done.
pub struct Done {
    /// The time of the slowest process.
    pub elapsed: Nanos,
    /// Transfers or files.
    pub operations: u64,
    /// Bytes moved.
    pub bytes: Bytes,
    /// The figure that the program prints, if it is another one.
    pub printed: Option<(Probe, f64)>,
}

impl Done {
    /// Adds it to the statistics of a run as one part.
    pub fn add_to(self, stats: &mut RunStats) {
        stats.count_done(self.operations, self.bytes.0);
        stats.elapsed = stats.elapsed + self.elapsed;
        stats.record(Operation::Run, self.elapsed);
        stats.end_part(stats.elapsed);
        stats.reported.extend(self.printed);
    }
}

/// Refuses output with a warning after which its figures are not those of the work.
///
/// # Errors
/// In words: the warning.
pub fn require_no_warning(text: &str) -> Result<(), String> {
    warning(text).map_or(Ok(()), |warning| Err(format!("it warns: {warning}")))
}

fn warning(text: &str) -> Option<&str> {
    // The file of the last slice is removed before the timer starts; the sizes are checked by the bytes moved.
    const HARMLESS: [&str; 4] = ["exists already", "file size", "bytes moved", "deadlineForStonewalling"];
    // mdtest ends with 0 after data that differ, and reports them as an error.
    let after = |prefix: &'static str| text.lines().filter_map(move |line| line.trim().strip_prefix(prefix));
    let warnings = after("WARNING: ").chain(after("ERROR: "));
    warnings.into_iter().find(|line| !HARMLESS.iter().any(|harmless| line.contains(harmless)))
}

/// Largest relative difference between a printed figure and the one from the times of the processes that is not
/// reported.
const ALIKE: f64 = 0.01;

/// Whether the figure that a program prints is not the one that follows from the times of its processes.
pub fn differs(printed: f64, computed: f64) -> bool {
    (printed / computed - 1.0).abs() > ALIKE || !printed.is_finite()
}

/// Checks the time in which all processes worked.
///
/// # Errors
/// In words: it is not possible, because a clock was set.
pub fn possible(seconds: f64, around: Nanos) -> Result<Nanos, String> {
    if seconds > 0.0 && seconds <= around.as_seconds() {
        return Ok(Nanos((seconds * 1e9).round() as u64));
    }
    Err(format!("it worked for {seconds} s within {:.3} s: the time of day was set", around.as_seconds()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(launch: &[&str]) -> Start {
        let launch = launch.iter().map(|word| (*word).to_owned()).collect();
        Start { processes: 2, machines: 3, launch, held: false }
    }

    #[test]
    fn the_launcher_comes_first_and_knows_the_number_of_processes() {
        let program = ["tool", "-x"].map(str::to_owned);
        assert_eq!(start(&[]).shown(&program), "mpirun -n 6 env -C LANE tool -x");
        assert_eq!(start(&["srun", "-n{processes}"]).shown(&program), "srun -n6 env -C LANE tool -x");
    }

    #[test]
    fn each_process_has_one_line() {
        let rows = |numbers: &[u64]| numbers.iter().map(|number| (*number, ())).collect::<Vec<_>>();
        assert_eq!(complete(rows(&[0, 1, 2]), 3).map(|rows| rows.len()), Ok(3));
        let cases: [(&[u64], &str); 4] =
            [(&[], "4.0 or later"), (&[0, 0, 0], "SLURM_MPI_TYPE"), (&[0, 1], "[0, 1]"), (&[0, 1, 1], "3 were")];
        for (numbers, why) in cases {
            let error = complete(rows(numbers), 3).expect_err("refused");
            assert!(error.contains(why), "{error}");
        }
    }

    #[test]
    fn warnings_about_the_last_slice_are_harmless() {
        assert_eq!(warning("WARNING: The file \"data\" exists already and will be deleted\n"), None);
        let text = "x\n  WARNING: unable to stat file files/a\n";
        assert_eq!(warning(text), Some("unable to stat file files/a"));
        let text = "SUMMARY\n\nERROR: verifying the data on read (7 errors)! Take the performance values with care!\n";
        assert!(warning(text).is_some_and(|warning| warning.contains("(7 errors)")));
    }

    #[test]
    fn no_process_works_longer_than_the_program_runs() {
        assert_eq!(possible(0.5, Nanos::seconds(1)), Ok(Nanos::millis(500)));
        for seconds in [0.0, -1.0, 1_751_892_628.0, f64::NAN] {
            assert!(possible(seconds, Nanos::seconds(1)).is_err(), "{seconds}");
        }
    }
}
