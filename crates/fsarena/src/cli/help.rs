//! The end of each command's `--help`: examples, and the exit codes that it has.

use clap::{Command, CommandFactory};

use super::Arguments;

/// What follows the options of a command.
struct HelpEnd {
    command: &'static str,
    examples: &'static [&'static str],
    codes: &'static [Code],
}

/// An exit code, and what it means for some command.
type Code = (u8, &'static str);

const DONE: Code = (0, "done");
const REGRESSION: Code = (1, "a regression holds, or a check would not have found what `--require-finds` asks for");
const USE: Code = (2, "wrong use");
const TRIAL: Code = (3, "a trial did not finish, a check found damage, or something was left behind");
const LOST: Code = (3, "a power cut lost what was acknowledged, or a guest failed");
const RANGE: Code = (3, "a range of kernels is left, or nothing is slower");
const NO_BOOT: Code = (3, "the guest did not boot, or not mount");
const LEFT: Code = (3, "something could not be removed");
const MACHINE: Code = (4, "this machine cannot: rights, programs or room are missing");
const INTERRUPTED: Code = (130, "interrupted; what was measured is kept");

const RUN: &[Code] = &[DONE, USE, TRIAL, MACHINE, INTERRUPTED];
const READ: &[Code] = &[DONE, USE, MACHINE];

const ENDS: [HelpEnd; 24] = [
    HelpEnd {
        command: "compare",
        examples: &[
            "fsarena compare ext4 xfs btrfs",
            "fsarena compare ext4 btrfs:compress=zstd --suite operations --budget 10m -o report.html",
            "fsarena compare dir:/mnt/a dir:/mnt/b --workload append-fsync",
            "fsarena compare ext4 xfs --command 'make -C {dir}/src' --prepare 'tar xf src.tar -C {dir}'",
            "fsarena compare --matrix 'btrfs:compress={no,zstd:1}' --dry-run --format json",
            "fsarena compare dir:/mnt/nfs dir:/mnt/gluster --clients slurm --clients-scale 1,2,4,8",
        ],
        codes: RUN,
    },
    HelpEnd { command: "reproduce", examples: &["fsarena reproduce openeuler --scale smoke"], codes: RUN },
    HelpEnd {
        command: "resume",
        examples: &["fsarena resume", "fsarena resume 12 --budget 20m", "fsarena resume last --rounds 5"],
        codes: RUN,
    },
    HelpEnd {
        command: "report",
        examples: &["fsarena report", "fsarena report 12 -o page.html", "fsarena report last --format json"],
        codes: READ,
    },
    HelpEnd {
        command: "diff",
        examples: &[
            "fsarena diff 12 15",
            "fsarena diff 12,13,14 15,16",
            "fsarena diff here.jsonl there.jsonl",
            "fsarena diff 12 15 --control ext4",
        ],
        codes: READ,
    },
    HelpEnd {
        command: "across",
        examples: &[
            "fsarena across 12 15 16",
            "fsarena across 12,13 15,16 18",
            "fsarena across here.jsonl there.jsonl",
        ],
        codes: READ,
    },
    HelpEnd {
        command: "explain",
        examples: &["fsarena explain", "fsarena explain 12 sqlite-wal", "fsarena explain 12 -o why.html"],
        codes: READ,
    },
    HelpEnd { command: "pages", examples: &["fsarena pages results"], codes: READ },
    HelpEnd {
        command: "gate",
        examples: &[
            "fsarena compare base=dir:/mnt/old new=dir:/mnt/new --rounds 12",
            "fsarena gate last --baseline-contender base",
            "fsarena gate last --baseline 12,13,14 --threshold 10% --junit gate.xml --summary summary.md",
        ],
        codes: &[(0, "no regression is proved; the text says what could have been"), REGRESSION, USE, MACHINE],
    },
    HelpEnd {
        command: "judge",
        examples: &[
            "fsarena judge ext4=run-1.json xfs=run-2.json",
            "fsarena judge ext4=a.txt ext4=b.txt xfs=c.txt xfs=d.txt",
            "fsarena judge composite.xml",
            "fsarena judge rows.csv --contender fs --workload test --value MBps --time when --host vm",
        ],
        codes: &[DONE, USE],
    },
    HelpEnd {
        command: "history",
        examples: &["fsarena history append-fsync", "fsarena history append-fsync --contender xfs -o page.html"],
        codes: READ,
    },
    HelpEnd {
        command: "runs",
        examples: &[
            "fsarena runs", "fsarena runs --format json", "fsarena runs tag 12 nightly", "fsarena runs remove 3 4",
        ],
        codes: READ,
    },
    HelpEnd { command: "export", examples: &["fsarena export 12 -o run.jsonl"], codes: READ },
    HelpEnd { command: "import", examples: &["fsarena import run.jsonl"], codes: READ },
    HelpEnd {
        command: "list",
        examples: &[
            "fsarena list",
            "fsarena list append-fsync",
            "fsarena list workloads --format json",
            "fsarena list mail",
            "fsarena list postgres",
        ],
        codes: &[DONE, USE],
    },
    HelpEnd {
        command: "doctor",
        examples: &["fsarena doctor", "fsarena doctor --storage /mnt/fast --format json"],
        codes: &[DONE, USE],
    },
    HelpEnd {
        command: "durability",
        examples: &["fsarena durability ext4 xfs", "fsarena durability ext4 --disk lying --states 20"],
        codes: &[DONE, USE, LOST, MACHINE, INTERRUPTED],
    },
    HelpEnd {
        command: "bisect",
        examples: &["fsarena bisect ext4 --good linux-6.1 --bad linux-6.12 --workload append-fsync"],
        codes: &[(0, "the first slower kernel is found"), USE, RANGE, MACHINE, INTERRUPTED],
    },
    HelpEnd { command: "clean", examples: &["fsarena clean"], codes: &[DONE, LEFT, MACHINE] },
    HelpEnd {
        command: "calibrate",
        examples: &[
            "fsarena calibrate",
            "fsarena calibrate --slices ext4 xfs",
            "fsarena calibrate --of 4,5,6 --format json",
        ],
        codes: RUN,
    },
    HelpEnd {
        command: "validate",
        examples: &[
            "fsarena validate -o validation.md",
            "fsarena validate mail build --budget 20m",
            "fsarena validate --runs 12,13",
            "fsarena validate --profiles-from old-profiles --dry-run",
        ],
        codes: RUN,
    },
    HelpEnd { command: "agent", examples: &["fsarena compare ext4 xfs --on 'ssh HOST fsarena agent'"], codes: RUN },
    HelpEnd {
        command: "guest",
        examples: &[
            "fsarena guest",
            "fsarena guest deterministic",
            "fsarena guest --agent --mount '10.0.2.2:/export /mnt/nfs nfs4'",
        ],
        codes: &[DONE, USE, NO_BOOT, MACHINE, (130, "interrupted")],
    },
    HelpEnd {
        command: "generate",
        examples: &["source <(fsarena generate bash)", "fsarena generate man | man -l -"],
        codes: &[DONE, USE],
    },
];

/// The command line, with examples and exit codes.
pub fn command() -> Command {
    ENDS.iter().fold(Arguments::command(), |command, end| {
        command.mut_subcommand(end.command, |command| command.after_help(end.text()))
    })
}

impl HelpEnd {
    fn text(&self) -> String {
        let examples: Vec<String> = self.examples.iter().map(|line| format!("  {line}")).collect();
        let codes: Vec<String> = self.codes.iter().map(|(code, meaning)| format!("  {code:<3}  {meaning}")).collect();
        format!("Examples:\n{}\n\nExit codes:\n{}", examples.join("\n"), codes.join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_ends_with_examples_that_are_understood() {
        let command = command();
        for subcommand in command.get_subcommands() {
            let help = subcommand.get_after_help().expect("it has an end").to_string();
            assert!(help.contains("Exit codes:\n  0  "), "{help}");
        }
        assert_eq!(command.get_subcommands().count(), ENDS.len());
        let lines = ENDS.iter().flat_map(|end| end.examples).filter(|line| line.starts_with("fsarena "));
        for line in lines {
            let words = shlex::split(line.split(" |").next().expect("there is one")).expect("quotes are closed");
            command.clone().try_get_matches_from(words).unwrap_or_else(|error| panic!("{line}: {error}"));
        }
    }
}
