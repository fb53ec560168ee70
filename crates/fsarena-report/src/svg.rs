//! Drawings as SVG text for a page whose style sheet gives them their colours.

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

/// Above the first row.
const TOP: f64 = 8.0;

/// Below the last row: ticks and title of the axis.
const BOTTOM: f64 = 46.0;
