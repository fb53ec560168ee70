//! The result over all states of a file system.

use std::collections::BTreeMap;

use crate::found::{Found, Loss};

/// How a state can fail; the gravest is first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Failure {
    /// It cannot be mounted, or stops the guest's kernel.
    Unmountable,
    /// An acknowledged operation is lost.
    Loss,
    /// The checker finds damage.
    Damage,
}

/// What was found in all states.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    /// Number of states.
    pub states: u64,
    /// Number of those in which an acknowledged operation is lost.
    pub losing: u64,
    /// The most acknowledged operations that are lost in one state.
    pub most_lost: u64,
    /// Number of states that could not be mounted, or that stopped the guest's kernel.
    pub unmountable: u64,
    /// Number of states in which the checker found damage.
    pub damaged: u64,
    /// What was found first of each.
    pub examples: BTreeMap<Failure, String>,
}

impl Tally {
    /// Adds what was found in a state; `state` describes it.
    pub fn add(&mut self, state: &str, acknowledged: u64, found: &Found) {
        let Found { unmountable, losses, damage } = found;
        // What cannot be mounted has lost everything.
        let lost = if unmountable.is_some() { acknowledged } else { losses.len() as u64 };
        self.states += 1;
        self.losing += u64::from(lost > 0);
        self.most_lost = self.most_lost.max(lost);
        self.unmountable += u64::from(unmountable.is_some());
        self.damaged += u64::from(damage.is_some());
        let sentence =
            |Loss { operation, action, what }: &Loss| format!("operation {operation} ({action}) is lost: {what}");
        let loss = losses.first().map(sentence);
        let of_state =
            [(Failure::Unmountable, unmountable.clone()), (Failure::Loss, loss), (Failure::Damage, damage.clone())];
        for (failure, what) in of_state {
            let Some(what) = what else { continue };
            self.examples.entry(failure).or_insert_with(|| format!("{state}: {what}"));
        }
    }

    /// Whether no state has lost or damaged anything.
    pub fn is_sound(&self) -> bool {
        (self.losing, self.unmountable, self.damaged) == (0, 0, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::found::Loss;

    #[test]
    fn every_way_to_fail_is_counted() {
        let mut tally = Tally::default();
        tally.add("state 1", 9, &Found::default());
        assert!(tally.is_sound());
        let (action, what) = ("rename".to_owned(), "nothing is there".to_owned());
        let loss = |operation| Loss { operation, action: action.clone(), what: what.clone() };
        let losses = Found { losses: vec![loss(3), loss(4)], ..Found::default() };
        tally.add("state 2", 9, &losses);
        let damage = Found { damage: Some("a wrong count".to_owned()), ..Found::default() };
        tally.add("state 3", 9, &damage);
        assert!(!Tally { losing: 0, most_lost: 0, ..tally.clone() }.is_sound());
        let unmountable = Found { unmountable: Some("EUCLEAN".to_owned()), ..Found::default() };
        tally.add("state 4", 9, &unmountable);
        assert_eq!((tally.states, tally.losing, tally.most_lost), (4, 2, 9));
        assert_eq!((tally.unmountable, tally.damaged), (1, 1));
        tally.add("state 5", 9, &losses);
        let examples: Vec<&str> = tally.examples.values().map(String::as_str).collect();
        let loss = "state 2: operation 3 (rename) is lost: nothing is there";
        assert_eq!(examples, ["state 4: EUCLEAN", loss, "state 3: a wrong count"]);
    }

    #[test]
    fn an_unmountable_state_is_a_failure_also_before_the_first_acknowledgement() {
        let mut tally = Tally::default();
        tally.add("state", 0, &Found { unmountable: Some("EIO".to_owned()), ..Found::default() });
        assert!(!tally.is_sound());
        assert_eq!(tally.losing, 0);
    }
}
