//! Drawings as SVG text. The page's style sheet sets their colours.

mod axis;
pub mod bars;
mod canvas;
pub mod curve;
pub mod heat;
pub mod lines;
pub mod medians;
pub mod over_records;
pub mod over_time;
mod plane;
pub mod ratios;
mod shape;

/// The drawing's width in its own units; the page scales it.
const WIDTH: f64 = 480.0;

/// The height of a row.
const ROW: f64 = 30.0;

/// The height above the first row.
const TOP: f64 = 8.0;

/// The height below the last row, for the ticks and the title of the axis.
const BOTTOM: f64 = 46.0;
