//! The rules. Each file has the rules that check the same kind of data.

mod arithmetic;
mod given;
mod identity;
mod limit;
mod ranking;
mod shell;

use crate::Violation;
use crate::article::Article;

/// A rule's name, in whole words with hyphens, and what violates it in an article, in the order of the article's tests.
pub type Rule = (&'static str, fn(&Article) -> Vec<Violation>);

/// All rules, in the order of the report.
pub const RULES: &[Rule] = &[
    ("constant-time", shell::constant_time),
    ("process-time", shell::process_time),
    ("truncated-division", arithmetic::truncated_division),
    ("throughput", arithmetic::throughput),
    ("computed", given::computed),
    ("given-twice", given::twice),
    ("medium", limit::medium),
    ("revolutions", limit::revolutions),
    ("cap", limit::cap),
    ("over-cap", limit::over_cap),
    ("idle-disk", limit::idle_disk),
    ("bandwidth", identity::bandwidth),
    ("ranking", ranking::among_themselves),
    ("claimed-order", ranking::claimed),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::RULES;

    #[test]
    fn each_rule_has_a_name_of_its_own() {
        let names: BTreeSet<&str> = RULES.iter().map(|(name, _)| *name).collect();
        assert_eq!(names.len(), RULES.len());
    }
}
