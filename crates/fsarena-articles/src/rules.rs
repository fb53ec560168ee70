//! The rules. Each file has the rules that check the same kind of data.

mod arithmetic;
mod given;
mod identity;
mod limit;
mod ranking;
mod shell;

use crate::Rule;

/// All rules, in the order of the report.
pub const RULES: &[Rule] = &[
    Rule {
        name: "constant-time",
        about: "an operation takes as long whatever it does: that is the time of a process, not of a file system",
        judge: shell::constant_time,
    },
    Rule {
        name: "process-time",
        about: "a process for each operation, and as long with each contender: the shell was measured",
        judge: shell::process_time,
    },
    Rule {
        name: "truncated-division",
        about: "throughput was divided from seconds of which all but two decimals had been cut off",
        judge: arithmetic::truncated_division,
    },
    Rule { name: "throughput", about: "throughput is bytes over time", judge: arithmetic::throughput },
    Rule { name: "speed-up", about: "a speed-up is the ratio of two times", judge: arithmetic::speed_up },
    Rule { name: "total", about: "a total is the sum of its parts", judge: arithmetic::total },
    Rule { name: "computed", about: "what a sentence computes, its figures must give", judge: given::computed },
    Rule { name: "given-twice", about: "a figure that is given twice is the same twice", judge: given::twice },
    Rule { name: "medium", about: "nothing is faster than its medium", judge: limit::medium },
    Rule {
        name: "revolutions",
        about: "a disk completes no more flushes in a row than it has revolutions",
        judge: limit::revolutions,
    },
    Rule {
        name: "cap",
        about: "contenders that are all equal at a round number are at a limit that was set",
        judge: limit::cap,
    },
    Rule {
        name: "over-cap",
        about: "what exceeds a limit that all else keeps to was measured elsewhere",
        judge: limit::over_cap,
    },
    Rule {
        name: "idle-disk",
        about: "who is slower and leaves the disk idle was held up by something else",
        judge: limit::idle_disk,
    },
    Rule { name: "bandwidth", about: "bandwidth is operations times their size", judge: identity::bandwidth },
    Rule { name: "in-flight", about: "operations times their latency are those in flight", judge: identity::in_flight },
    Rule {
        name: "ranking",
        about: "orders of the same test agree with each other and with its figures",
        judge: ranking::among_themselves,
    },
    Rule { name: "claimed-order", about: "an order that is claimed is that of the test", judge: ranking::claimed },
];

#[cfg(test)]
mod tests {
    use super::RULES;

    #[test]
    fn each_rule_has_a_name_of_its_own() {
        let mut names: Vec<&str> = RULES.iter().map(|rule| rule.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), RULES.len());
    }
}
