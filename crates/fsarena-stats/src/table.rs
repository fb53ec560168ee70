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

    /// The sum of the products of each cell with the other table's `lag` rounds later.
    pub(crate) fn dot_later(&self, other: &Self, lag: usize) -> f64 {
        let later = other.cells.get(lag * self.contenders..).unwrap_or_default();
        self.cells.iter().zip(later).map(|(left, right)| left * right).sum()
    }

    /// Half the gradient of the sum of the squared steps between neighbouring rounds, x ↦ Ax where that sum is x'Ax.
    pub(crate) fn squared_steps(&self) -> Self {
        let width = self.contenders;
        let before = |cell: usize| cell.checked_sub(width).map_or(0.0, |other| self.cells[cell] - self.cells[other]);
        let after = |cell: usize| self.cells.get(cell + width).map_or(0.0, |other| self.cells[cell] - other);
        Self::new(width, (0..self.cells.len()).map(|cell| before(cell) + after(cell)).collect())
    }

    /// The same row, again and again.
    pub(crate) fn of_equal_rows(row: &[f64], rounds: usize) -> Self {
        Self::new(row.len(), row.repeat(rounds))
    }

    /// The first rows.
    pub(crate) fn first_rounds(&self, rounds: usize) -> Self {
        Self::new(self.contenders, self.cells[..rounds * self.contenders].to_vec())
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
