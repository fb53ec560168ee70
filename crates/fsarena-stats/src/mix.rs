//! Mixes of workloads at which another contender would be best: the weight of one part at which a rival draws level
//! with the best, while the other parts keep their proportions.

/// By how much, as a logarithm, the best contender of a mix leads a rival.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lead {
    /// In the part whose weight changes.
    pub within: f64,
    /// In all other parts together, in their proportions.
    pub elsewhere: f64,
}

impl Lead {
    /// The weight at which the lead is 0; `None` if it has the same sign from 0 to 1.
    fn level(&self) -> Option<f64> {
        let slope = self.elsewhere - self.within;
        let weight = self.elsewhere / slope;
        (slope != 0.0 && (0.0..=1.0).contains(&weight)).then_some(weight)
    }
}

/// The weight from which on another contender is best.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Flip {
    /// The weight of the part at which both are level.
    pub at: f64,
    /// Index of the rival among the leads.
    pub to: usize,
}

/// The nearest flips below and above `share`, the part's weight in the mix; `leads` has the lead over each rival.
pub fn flips(leads: &[Lead], share: f64) -> [Option<Flip>; 2] {
    let all = leads.iter().enumerate().filter_map(|(to, lead)| Some(Flip { at: lead.level()?, to }));
    let falls = |flip: &Flip| leads[flip.to].within > leads[flip.to].elsewhere;
    let by_weight = |one: &Flip, other: &Flip| one.at.total_cmp(&other.at);
    // In the first case the lead is lost below that weight, in the second case above it.
    let below = all.clone().filter(|flip| falls(flip) && flip.at <= share).max_by(by_weight);
    let above = all.filter(|flip| !falls(flip) && flip.at >= share).min_by(by_weight);
    [below, above]
}
