//! Guarantees that one contender gives and another does not. They are shown with the verdict, because guarantees cost
//! time.

use fsarena_model::{ContenderFacts, Guarantee};

use crate::analysis::Analysis;

/// The guarantees by which two contenders of the plan differ, in words; empty if there is no difference, or if the
/// guarantees of one are unknown.
pub fn between(analysis: &Analysis<'_>, a: usize, b: usize) -> String {
    facts(analysis, a).zip(facts(analysis, b)).map(|(a, b)| difference(a, b)).unwrap_or_default()
}

/// The facts of a contender that was made here. An existing directory may have been made with any options, so its
/// guarantees are unknown.
fn facts<'a>(analysis: &Analysis<'a>, contender: usize) -> Option<&'a ContenderFacts> {
    analysis.facts[contender].filter(|_| analysis.record.plan.contenders[contender].path.is_none())
}

/// `btrfs also has data checksums and copy on write; ext4 also has a journal`.
fn difference(a: &ContenderFacts, b: &ContenderFacts) -> String {
    let more = [beyond(a, b), beyond(b, a)];
    more.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

fn beyond(one: &ContenderFacts, other: &ContenderFacts) -> Option<String> {
    let further = one.guarantees.iter().filter(|guarantee| !other.guarantees.contains(guarantee));
    let own: Vec<String> = further.map(Guarantee::to_string).collect();
    let (last, rest) = own.split_last()?;
    let listed = if rest.is_empty() { last.clone() } else { format!("{} and {last}", rest.join(", ")) };
    Some(format!("{} also has {listed}", one.label))
}

#[cfg(test)]
mod tests {
    use fsarena_model::{Durability, Label};

    use super::*;

    fn guaranteeing(label: &str, guarantees: &[Guarantee]) -> ContenderFacts {
        let facts = ContenderFacts::new(Label::from(label), Durability::Flushed);
        ContenderFacts { guarantees: guarantees.to_vec(), ..facts }
    }

    #[test]
    fn both_directions_are_named() {
        let ext4 = guaranteeing("ext4", &[Guarantee::Journal, Guarantee::MetadataChecksums]);
        let all = [Guarantee::MetadataChecksums, Guarantee::DataChecksums, Guarantee::CopyOnWrite, Guarantee::Mirror];
        let btrfs = guaranteeing("btrfs", &all);
        let words = "btrfs also has data checksums, copy on write and a mirror; ext4 also has a journal";
        assert_eq!(difference(&btrfs, &ext4), words);
    }

    #[test]
    fn shared_guarantees_are_no_difference() {
        let (ext4, xfs) = (guaranteeing("ext4", &[Guarantee::Journal]), guaranteeing("xfs", &[Guarantee::Journal]));
        assert_eq!(difference(&ext4, &xfs), "");
        assert_eq!(difference(&guaranteeing("ext2", &[]), &xfs), "xfs also has a journal");
    }
}
