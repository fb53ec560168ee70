//! Figures against the number of clients, on logarithmic axes: a straight line at 45 degrees is perfect scaling.

use fsarena_model::comparison::ScalingRow;

use super::axis::Axis;
use super::plane::{Plane, ROOM};
use crate::number::value;

const HEIGHT: f64 = 210.0;

/// The drawing of a workload's rows; `None` if there are fewer than two numbers of clients.
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
    plane.ticks_upwards(&mut canvas, |tick| value(tick, unit));
    plane.titles(&mut canvas, "clients, logarithmic →", &format!("↑ {unit}, logarithmic"));
    for (index, row) in rows.iter().enumerate() {
        plane.path(&mut canvas, index, "path p50", &points(row));
    }
    Some(canvas.finish(&format!("Figures against the number of clients, {} contenders", rows.len())))
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
}
