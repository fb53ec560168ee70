//! Groups of contenders that may be ranked together: those of the same durability class.

use fsarena_model::comparison::ContenderRow;
use fsarena_model::{Comparison, Durability};

/// The contenders of one durability class, in command-line order.
#[derive(Debug, Clone)]
pub struct Group<'a> {
    /// Their class; `None` if no contender of the run was ever mounted.
    pub durability: Option<Durability>,
    /// The contenders of the class.
    pub contenders: Vec<&'a ContenderRow>,
}

/// All groups, the strongest durability first. Contenders that were never mounted have no figures and belong to the
/// first group.
pub fn groups(comparison: &Comparison) -> Vec<Group<'_>> {
    let mut classes: Vec<_> = comparison.contenders.iter().filter_map(|row| row.durability).collect();
    classes.sort();
    classes.dedup();
    let Some(first) = classes.first().copied() else {
        return vec![Group { durability: None, contenders: comparison.contenders.iter().collect() }];
    };
    let members = |class| {
        let belongs = move |row: &&ContenderRow| row.durability.unwrap_or(first) == class;
        comparison.contenders.iter().filter(belongs).collect()
    };
    classes.into_iter().map(|class| Group { durability: Some(class), contenders: members(class) }).collect()
}
