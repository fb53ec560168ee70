//! How the processes of MPI programs are started on this machine or on several.

use fsarena_engine::{Launch, Need, Programs};
use fsarena_model::Workload;
use serde::Deserialize;
use serde_json::{Value, json};

/// Starts processes on this machine.
pub const MPIRUN: Need = Need::new("mpirun", "openmpi-bin");

/// Source of both programs, which Debian does not package.
pub const SOURCE: &str = "https://github.com/hpc/ior";

/// Stands for the number of processes in the words of a launcher.
const PROCESSES: &str = "{processes}";

/// Maximum number of processes on a machine, and of machines.
const MOST: u32 = 4096;

/// How the processes of a program are started.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct MpiStart {
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

impl Default for MpiStart {
    fn default() -> Self {
        Self { processes: 1, machines: 1, launch: Vec::new(), held: false }
    }
}

impl MpiStart {
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
    pub fn words(&self, mpirun: &str, directory: &str, program: &[String]) -> Vec<String> {
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

/// The workload as these words start its program on several machines.
pub fn launched(workload: &Workload, launch: &Launch) -> Workload {
    with(workload, json!({ "machines": launch.machines, "launch": launch.words }))
}

/// The workload of a machine on which another one starts the program.
pub fn held(workload: &Workload) -> Workload {
    with(workload, json!({ "held": true }))
}

/// The workload with these fields of [`MpiStart`].
fn with(workload: &Workload, fields: Value) -> Workload {
    let mut workload = workload.clone();
    let parameters = workload.parameters.as_object_mut();
    let start = parameters.map(|parameters| parameters.entry("start").or_insert_with(|| json!({})));
    if let (Some(start), Value::Object(fields)) = (start.and_then(Value::as_object_mut), fields) {
        start.extend(fields);
    }
    workload
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(launch: &[&str]) -> MpiStart {
        let launch = launch.iter().map(|word| (*word).to_owned()).collect();
        MpiStart { processes: 2, machines: 3, launch, held: false }
    }

    #[test]
    fn the_launcher_comes_first_and_knows_the_number_of_processes() {
        let program = ["tool", "-x"].map(str::to_owned);
        assert_eq!(start(&[]).shown(&program), "mpirun -n 6 env -C LANE tool -x");
        assert_eq!(start(&["srun", "-n{processes}"]).shown(&program), "srun -n6 env -C LANE tool -x");
    }
}
