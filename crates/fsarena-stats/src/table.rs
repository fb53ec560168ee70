//! A table of numbers, one row per round and one column per contender, and the centring that the fit is made of.

/// Rounds × contenders, row by row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Table {
    contenders: usize,
    cells: Vec<f64>,
}

impl Table {
    /// `cells` holds whole rows.
    pub(crate) fn new(contenders: usize, cells: Vec<f64>) -> Self {
        Self { contenders, cells }
    }

    pub(crate) fn contenders(&self) -> usize {
        self.contenders
    }

    pub(crate) fn rounds(&self) -> usize {
        self.rows().len()
    }

    pub(crate) fn rows(&self) -> std::slice::ChunksExact<'_, f64> {
        self.cells.chunks_exact(self.contenders.max(1))
    }

    /// The mean of each contender over the rounds; empty sums give 0.
    pub(crate) fn contender_means(&self) -> Vec<f64> {
        let mut means = vec![0.0; self.contenders];
        for row in self.rows() {
            means.iter_mut().zip(row).for_each(|(mean, cell)| *mean += cell);
        }
        let rounds = self.rounds().max(1) as f64;
        means.iter_mut().for_each(|mean| *mean /= rounds);
        means
    }

    /// Without the mean of each round.
    pub(crate) fn centred_in_rounds(&self) -> Self {
        let centred = self.rows().flat_map(|row| {
            let mean = row.iter().sum::<f64>() / row.len() as f64;
            row.iter().map(move |cell| cell - mean)
        });
        Self::new(self.contenders, centred.collect())
    }

    /// Without the mean of each contender.
    pub(crate) fn centred_in_contenders(&self) -> Self {
        let means = self.contender_means();
        let centred = self.rows().flat_map(|row| row.iter().zip(&means).map(|(cell, mean)| cell - mean));
        Self::new(self.contenders, centred.collect())
    }

    /// `self − scale · other`, cell by cell.
    pub(crate) fn minus(&self, other: &Self, scale: f64) -> Self {
        let cells = self.cells.iter().zip(&other.cells);
        Self::new(self.contenders, cells.map(|(left, right)| left - scale * right).collect())
    }

    /// Every cell multiplied.
    pub(crate) fn times(&self, scale: f64) -> Self {
        Self::new(self.contenders, self.cells.iter().map(|cell| cell * scale).collect())
    }

    /// The sum of the products of the cells.
    pub(crate) fn dot(&self, other: &Self) -> f64 {
        self.cells.iter().zip(&other.cells).map(|(left, right)| left * right).sum()
    }

    /// The sum of the squares of the cells.
    pub(crate) fn square(&self) -> f64 {
        self.dot(self)
    }

    /// The largest absolute value, 0 for an empty table.
    pub(crate) fn largest(&self) -> f64 {
        self.cells.iter().fold(0.0, |largest: f64, cell| largest.max(cell.abs()))
    }
}
