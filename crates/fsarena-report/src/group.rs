//! Contenders that may be ranked together: those of one durability class.

use fsarena_model::comparison::ContenderRow;
use fsarena_model::{Comparison, Durability};

/// The contenders of one durability class, in command-line order.
#[derive(Debug, Clone)]
pub struct Group<'a> {
    /// Their class; `None` if none of a run's contenders was ever mounted.
    pub durability: Option<Durability>,
    /// Who belongs to it.
    pub contenders: Vec<&'a ContenderRow>,
}

/// All groups, the strongest durability first. Who was never mounted has no figures and stands with the first group.
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
