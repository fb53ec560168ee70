//! Outputs of tools that judge does not read, since the tools have others that say more.

use super::{File, bonnie, fio, hyperfine, ior};

/// An output of a tool that has another one with all figures.
pub struct OtherOutput {
    pub program: &'static str,
    /// What it is, and what it lacks.
    pub what: &'static str,
    /// Whether a file is such an output.
    knows: fn(&File<'_>) -> bool,
    /// How to get the other one.
    pub hint: &'static str,
}

const FOR_PEOPLE: &str = "output for people, which has rounded figures only";

/// Lines of sysbench's tests `cpu` and `memory`.
const NO_FILES: [&str; 2] = ["Prime numbers limit:", "Running memory speed test"];

const OTHER_OUTPUTS: [OtherOutput; 6] = [
    OtherOutput {
        program: "fio",
        what: FOR_PEOPLE,
        knows: fio::is_for_people,
        hint: "rerun with --output-format=json",
    },
    OtherOutput {
        program: "hyperfine",
        what: FOR_PEOPLE,
        knows: hyperfine::is_for_people,
        hint: "rerun with --export-json FILE",
    },
    OtherOutput {
        program: "hyperfine",
        what: "table of means, which has no single times",
        knows: hyperfine::is_table,
        hint: "rerun with --export-json FILE",
    },
    OtherOutput {
        program: "bonnie++",
        what: FOR_PEOPLE,
        knows: bonnie::is_for_people,
        hint: "judge reads the line of comma-separated values that bonnie++ prints last",
    },
    OtherOutput {
        program: "IOR",
        what: "CSV, which has neither its options nor its starts",
        knows: ior::is_csv,
        hint: "rerun with -O summaryFormat=JSON",
    },
    OtherOutput {
        program: "sysbench",
        what: "test of processors or memory, which uses no file",
        knows: |file| NO_FILES.iter().any(|line| file.text.contains(line)),
        hint: "leave it out; judge reads `sysbench fileio` and tests of databases",
    },
];

/// The output that a file is, if it is one of these.
pub fn known(file: &File<'_>) -> Option<&'static OtherOutput> {
    OTHER_OUTPUTS.iter().find(|output| (output.knows)(file))
}
