//! The looks of a run one after the other: a round that comes in costs a fit of the workloads that it belongs to.

use std::rc::Rc;

use crate::decide::{Pricing, View, WorkloadDecision};
use crate::design::Design;
use crate::error::StatsError;
use crate::evidence::Suite;
use crate::fit::Fit;
use crate::guard::Guard;
use crate::look::{Budget, Rule};
use crate::observation::{Sheet, WorkloadData};
use crate::part::Part;

/// All workloads of a run as they stand at one look.
pub(crate) struct Looks {
    rule: Rule,
    without: Option<Part>,
    sheets: Vec<Sheet>,
    fits: Vec<Fit>,
    suite: Suite,
    family: usize,
}

impl Looks {
    /// Before the first round of data that are wholly known.
    pub(crate) fn new(rule: &Rule, workloads: &[WorkloadData], without: Option<Part>) -> Result<Self, StatsError> {
        rule.check()?;
        let sheets = workloads.iter().enumerate().map(|(index, data)| Sheet::new(index, data));
        let sheets: Vec<Sheet> = sheets.collect::<Result<_, StatsError>>()?;
        let nothing = |sheet: &Sheet| {
            let design = Design::new(sheet.values.contenders(), 0, &[]);
            let values = sheet.values.first_rounds(0);
            Fit::new(&Sheet { values, labels: vec![], lanes: vec![], peers: sheet.peers }, Rc::new(design))
        };
        let fits: Vec<Fit> = sheets.iter().map(nothing).collect();
        let pairs = fits.iter().map(|fit| fit.design.pairs().count()).sum();
        let family = if without == Some(Part::FamilyCorrection) { 1 } else { pairs };
        Ok(Self { rule: *rule, without, suite: Suite::of(&fits, without), sheets, fits, family })
    }

    /// After the last round.
    pub(crate) fn at_the_end(rule: &Rule, workloads: &[WorkloadData]) -> Result<Self, StatsError> {
        let mut looks = Self::new(rule, workloads, None)?;
        looks.advance(u32::MAX, &(0..workloads.len()).collect::<Vec<_>>());
        Ok(looks)
    }

    /// The labels of all rounds of the run, in order.
    pub(crate) fn labels(&self) -> Vec<u32> {
        let mut labels: Vec<u32> = self.sheets.iter().flat_map(|sheet| sheet.labels.iter().copied()).collect();
        labels.sort_unstable();
        labels.dedup();
        labels
    }

    /// The labels of the rounds of one workload.
    pub(crate) fn rounds_of(&self, workload: usize) -> &[u32] {
        &self.sheets[workload].labels
    }

    /// How one workload was fitted; those that had the same lanes in the same rounds share the design.
    pub(crate) fn fit(&self, workload: usize) -> &Fit {
        &self.fits[workload]
    }

    /// The dependence between rounds.
    pub(crate) fn guard(&self) -> Guard {
        self.suite.guard
    }

    /// Whether the workload has a round with that label.
    pub(crate) fn has(&self, workload: usize, label: u32) -> bool {
        self.sheets[workload].labels.binary_search(&label).is_ok()
    }

    /// Whether no round of the workload comes after that label.
    pub(crate) fn ends_by(&self, workload: usize, label: u32) -> bool {
        self.sheets[workload].labels.last().is_none_or(|&last| last <= label)
    }

    /// Takes in the rounds up to the one labelled `last`, of these workloads alone.
    pub(crate) fn advance(&mut self, last: u32, workloads: &[usize]) {
        let mut designs: Vec<(Sheet, Rc<Design>)> = Vec::new();
        for &workload in workloads {
            let sheet = self.sheets[workload].until(last);
            let design = shared(&mut designs, &sheet);
            self.fits[workload] = Fit::new(&sheet, design);
        }
        self.suite = Suite::of(&self.fits, self.without);
    }

    /// All workloads, decided as they stand.
    pub(crate) fn all(&self, pricing: Pricing) -> Vec<WorkloadDecision> {
        (0..self.fits.len()).map(|workload| self.view(workload).decision(pricing)).collect()
    }

    /// One workload as it stands.
    pub(crate) fn view(&self, workload: usize) -> View<'_> {
        let fit = &self.fits[workload];
        let (contenders, without) = (fit.design.contenders, self.without);
        let budget = Budget { rule: self.rule, contenders, family: self.family, without };
        View { fit, suite: &self.suite, budget }
    }
}

/// The design of the sheet, made once for all workloads that had the same lanes in the same rounds.
fn shared(designs: &mut Vec<(Sheet, Rc<Design>)>, sheet: &Sheet) -> Rc<Design> {
    let is_same = |other: &Sheet| other.values.contenders() == sheet.values.contenders() && other.lanes == sheet.lanes;
    if let Some((_, design)) = designs.iter().find(|(other, _)| is_same(other)) {
        return Rc::clone(design);
    }
    let design = Rc::new(Design::new(sheet.values.contenders(), sheet.values.rounds(), &sheet.lanes));
    designs.push((sheet.clone(), Rc::clone(&design)));
    design
}
