//! Drawings on a plane with logarithmic axes: latency against load and over the time of a trial, figures against the
//! number of clients, and predicted against measured ratios.

use std::collections::BTreeMap;

use fsarena_model::comparison::{Cell, LatencyOverTime, Point, ScalingRow};
use fsarena_stats::upper_median;

use super::axis::Axis;
use super::plane::{Plane, ROOM};
use super::{Canvas, Sign, cross, marks, ring};
use crate::number::{self, seconds, three_digits};

const HEIGHT: f64 = 210.0;

/// The kinds of line, by class.
const LINES: [Sign; 2] = [Sign::Line("p50", "median"), Sign::Line("p99", "99th percentile")];

/// Draws the scales. `print` formats the ticks of the horizontal axis.
fn scales(plane: &Plane, canvas: &mut Canvas, print: impl Fn(f64) -> String, title: &str) {
    plane.ticks_across(canvas, print);
    plane.ticks_upwards(canvas, seconds);
    plane.titles(canvas, title, "↑ latency, logarithmic");
}

/// The signs in the legend besides the contenders' marks.
const SIGNS: &[Sign] =
    &[LINES[0], LINES[1], Sign::Ring("closed loop: median at its own rate"), Sign::Cross("does not keep up")];

/// A contender's points.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadLine {
    pub contender: String,
    /// Its open loops, in ascending order of the rate.
    pub open: Vec<LoadPoint>,
    pub closed: Option<LoadPoint>,
}

/// The rate and the latencies at a load.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LoadPoint {
    /// Operations per second that were done.
    pub done: f64,
    /// Median latency in seconds.
    pub p50: f64,
    /// 99th percentile of the latency in seconds.
    pub p99: f64,
    /// Whether all offered operations were done.
    pub keeps_up: bool,
}

/// The drawing of latency against load; `None` if there is no open loop.
pub fn against_load(lines: &[LoadLine], operation: &str) -> Option<String> {
    let loads = || lines.iter().flat_map(|line| line.open.iter().chain(&line.closed));
    let latencies: Vec<f64> = loads().flat_map(|load| [load.p50, load.p99]).collect();
    let rates: Vec<f64> = loads().map(|load| load.done).collect();
    let x = Axis::of_figures(&rates, ROOM).filter(|_| lines.iter().any(|line| !line.open.is_empty()))?;
    let labels: Vec<&str> = lines.iter().map(|line| line.contender.as_str()).collect();
    let (plane, mut canvas) = Plane::begin(&labels, SIGNS, HEIGHT, x, |room| Axis::logarithmic(&latencies, room))?;
    scales(&plane, &mut canvas, |tick| number::value(tick, "ops/s"), "operations/s that were done →");
    for (index, line) in lines.iter().enumerate() {
        let through =
            |figure: fn(&LoadPoint) -> f64| line.open.iter().map(|load| (load.done, figure(load))).collect::<Vec<_>>();
        plane.path(&mut canvas, index, "path p50", &through(|load| load.p50));
        plane.path(&mut canvas, index, "path p99", &through(|load| load.p99));
        for load in line.open.iter().filter(|load| !load.keeps_up) {
            cross(&mut canvas, plane.at((load.done, load.p50)));
            cross(&mut canvas, plane.at((load.done, load.p99)));
        }
        // The ring around the mark: the rate of a closed loop is a result, not a choice.
        if let Some(load) = &line.closed {
            marks(&mut canvas, index, &[plane.at((load.done, load.p50))]);
            ring(&mut canvas, plane.at((load.done, load.p50)));
        }
    }
    Some(canvas.finish(&format!("Latency of {operation} against load, {} contenders", lines.len())))
}

/// The drawing of latency over the time of a trial, its slices one after the other, each point a median over rounds;
/// `None` if no contender has more than one point.
pub fn over_time(cells: &[&Cell], operation: &str) -> Option<String> {
    let line = |cell: &&'_ Cell| {
        let course = cell.latencies.over_time.iter().find(|course| course.operation == operation)?;
        Some((cell.contender.to_string(), medians(course)))
    };
    let drawn: Vec<(String, Vec<[f64; 3]>)> = cells.iter().filter_map(line).collect();
    if drawn.iter().all(|(_, places)| places.len() < 2) {
        return None;
    }
    let labels: Vec<&str> = drawn.iter().map(|(label, _)| label.as_str()).collect();
    let places = || drawn.iter().flat_map(|(_, places)| places);
    let latencies: Vec<f64> = places().flat_map(|[_, p50, p99]| [*p50, *p99]).collect();
    let x = Axis::from_zero(places().map(|[time, ..]| *time).fold(0.0, f64::max), ROOM)?;
    let (plane, mut canvas) = Plane::begin(&labels, &LINES, HEIGHT, x, |room| Axis::logarithmic(&latencies, room))?;
    scales(&plane, &mut canvas, three_digits, "timed seconds of a trial →");
    // Lines go through all slices: many slices have only one part, which makes no line.
    for (index, (_, places)) in drawn.iter().enumerate() {
        for (kind, figure) in [("path p50", 1), ("path p99", 2)] {
            let points: Vec<(f64, f64)> = places.iter().map(|place| (place[0], place[figure])).collect();
            plane.path(&mut canvas, index, kind, &points);
        }
    }
    Some(canvas.finish(&format!("Latency of {operation} over the time of a trial, {} contenders", drawn.len())))
}

/// Time, median and 99th percentile of each part of each slice, in seconds, the medians over rounds.
fn medians(course: &LatencyOverTime) -> Vec<[f64; 3]> {
    let mut parts: BTreeMap<(u32, usize), Vec<&Point>> = BTreeMap::new();
    for trial in course.points.chunk_by(|one, next| (one.round, one.slice) == (next.round, next.slice)) {
        for (part, point) in trial.iter().enumerate() {
            parts.entry((point.slice, part)).or_default().push(point);
        }
    }
    let place = |points: Vec<&Point>| {
        let of = |figure: fn(&Point) -> f64| upper_median(points.iter().map(|point| figure(point)));
        Some([of(|point| point.seconds)?, of(|point| point.p50)?, of(|point| point.p99)?])
    };
    parts.into_values().filter_map(place).collect()
}

/// The drawing of a workload's figures against the number of clients, in which a straight line at 45 degrees is perfect
/// scaling; `None` if there are fewer than two numbers of clients.
pub fn against_clients(rows: &[&ScalingRow]) -> Option<String> {
    let points = |row: &&ScalingRow| -> Vec<(f64, f64)> {
        row.points.iter().filter_map(|point| Some((f64::from(point.clients), point.median?))).collect()
    };
    let (mut numbers, figures): (Vec<f64>, Vec<f64>) = rows.iter().flat_map(points).unzip();
    numbers.sort_by(f64::total_cmp);
    numbers.dedup();
    let x = Axis::logarithmic(&numbers, ROOM).filter(|_| numbers.len() > 1)?;
    let labels: Vec<&str> = rows.iter().map(|row| row.contender.0.as_str()).collect();
    let (plane, mut canvas) = Plane::begin(&labels, &[], HEIGHT, x, |room| Axis::logarithmic(&figures, room))?;
    let unit = &rows.first()?.unit;
    numbers.iter().for_each(|number| plane.tick_across(&mut canvas, *number, &number.to_string()));
    plane.ticks_upwards(&mut canvas, |tick| number::value(tick, unit));
    plane.titles(&mut canvas, "clients, logarithmic →", &format!("↑ {unit}, logarithmic"));
    for (index, row) in rows.iter().enumerate() {
        plane.path(&mut canvas, index, "path p50", &points(row));
    }
    Some(canvas.finish(&format!("Figures against the number of clients, {} contenders", rows.len())))
}

/// Height of the plane: that of a square.
const SQUARE: f64 = ROOM.1 - ROOM.0;

/// The drawing of pairs of predicted and measured ratios, by the name of their group; `None` if there is none.
pub fn predicted_against_measured(groups: &[(&str, Vec<(f64, f64)>)]) -> Option<String> {
    let all: Vec<f64> = groups.iter().flat_map(|(_, points)| points).flat_map(|point| [point.0, point.1]).collect();
    let first = all.first()?;
    let axis = |room| Axis::of_ratios(&all, 1.0, room);
    let names: Vec<&str> = groups.iter().map(|(name, _)| *name).collect();
    let signs = [Sign::Line("", "predicted = measured")];
    let (plane, mut canvas) = Plane::begin(&names, &signs, SQUARE, axis(ROOM)?, axis)?;
    plane.ticks_across(&mut canvas, three_digits);
    plane.ticks_upwards(&mut canvas, three_digits);
    plane.titles(&mut canvas, "predicted ratio →", "↑ measured ratio");
    let (least, most) = all.iter().fold((*first, *first), |(low, high), value| (low.min(*value), high.max(*value)));
    canvas.line("path", plane.at((least, least)), plane.at((most, most)));
    for (index, (_, points)) in groups.iter().enumerate() {
        let places: Vec<(f64, f64)> = points.iter().map(|point| plane.at(*point)).collect();
        marks(&mut canvas, index, &places);
    }
    Some(canvas.finish(&format!("Predicted against measured ratios of {} pairs", all.len() / 2)))
}

#[cfg(test)]
mod tests {
    use fsarena_model::comparison::ScalingPoint;

    use super::*;

    #[test]
    fn one_number_of_clients_has_no_drawing() {
        let point = |(clients, figure): &(u32, f64)| ScalingPoint {
            clients: *clients,
            median: Some(*figure),
            slowest: None,
            until_last: None,
            skew: None,
            skewed: 0,
        };
        let row = |points: &[(u32, f64)]| ScalingRow {
            workload: "create".to_owned(),
            contender: "a".into(),
            unit: "ops/s".to_owned(),
            points: points.iter().map(point).collect(),
            exponent: None,
            low: None,
            high: None,
        };
        assert_eq!(against_clients(&[&row(&[(4, 10.0)])]), None);
        let svg = against_clients(&[&row(&[(1, 10.0), (2, 18.0), (4, 30.0)])]).expect("a drawing");
        assert!(svg.contains("polyline") && svg.contains("clients"), "{svg}");
    }

    #[test]
    fn equal_ratios_lie_on_the_diagonal() {
        let points = |points: &[(f64, f64)]| ("right", points.to_vec());
        assert_eq!(predicted_against_measured(&[points(&[])]), None);
        let svg = predicted_against_measured(&[points(&[(0.5, 0.5), (2.0, 2.0), (4.0, 1.0)])]).expect("a drawing");
        let diagonal =
            svg.split(r#"class="path" d="M"#).nth(1).and_then(|rest| rest.split('"').next()).expect("a line");
        let ends: Vec<&str> = diagonal.split(['L', ',']).collect();
        let coordinates: Vec<f64> = ends.iter().map(|text| text.parse().expect("a number")).collect();
        let (across, upwards) = (coordinates[2] - coordinates[0], coordinates[1] - coordinates[3]);
        assert!((across - upwards).abs() < 0.3 && across > 100.0, "{svg}");
        assert_eq!(svg.matches("mark series1").count(), 2, "in the legend and in the plane: {svg}");
    }
}
