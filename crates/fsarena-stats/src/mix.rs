//! Where the best of a mix of workloads would be another: the weight of one part at which a rival draws level with it, while the
//! other parts keep their proportions.

/// By how much, as a logarithm, the best of a mix leads a rival.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lead {
    /// In the part whose weight changes.
    pub within: f64,
    /// In all other parts together, in their proportions.
    pub elsewhere: f64,
}

impl Lead {
    /// Over the whole mix, with so much weight, 0 to 1, on the part.
    #[must_use]
    pub fn at(&self, weight: f64) -> f64 {
        weight * self.within + (1.0 - weight) * self.elsewhere
    }

    /// The weight at which it is nothing; `None` where it has the same sign from 0 to 1.
    fn level(&self) -> Option<f64> {
        let slope = self.elsewhere - self.within;
        let weight = self.elsewhere / slope;
        (slope != 0.0 && (0.0..=1.0).contains(&weight)).then_some(weight)
    }
}

/// Another best from some weight on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Flip {
    /// The weight of the part at which both are level.
    pub at: f64,
    /// The number of the rival among the leads.
    pub to: usize,
}

/// The flips that are nearest to `share`, the part's weight in the mix, below it and above it; `leads` are those over each rival.
#[must_use]
pub fn flips(leads: &[Lead], share: f64) -> [Option<Flip>; 2] {
    let all = leads.iter().enumerate().filter_map(|(to, lead)| Some(Flip { at: lead.level()?, to }));
    let falls = |flip: &Flip| leads[flip.to].within > leads[flip.to].elsewhere;
    let by_weight = |one: &Flip, other: &Flip| one.at.total_cmp(&other.at);
    // With less weight than that, the lead is lost in the first case; with more, in the second.
    let below = all.clone().filter(|flip| falls(flip) && flip.at <= share).max_by(by_weight);
    let above = all.filter(|flip| !falls(flip) && flip.at >= share).min_by(by_weight);
    [below, above]
}
