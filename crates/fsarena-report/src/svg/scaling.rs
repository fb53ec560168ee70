//! Figures against the number of clients, on logarithmic axes: a straight line at 45 degrees is perfect scaling.

use super::axis::Axis;
use super::plane::{Plane, ROOM};
use super::{Sign, class};
use crate::number::value;

/// Height of the plane.
const HEIGHT: f64 = 210.0;

/// A contender's figures.
#[derive(Debug, Clone, PartialEq)]
pub struct ScalingLine {
    /// Its label.
    pub contender: String,
    /// Numbers of clients with the figure of all of them, ascending.
    pub points: Vec<(f64, f64)>,
}

/// The drawing; `None` if there are fewer than two numbers of clients.
pub fn against_clients(lines: &[ScalingLine], unit: &str) -> Option<String> {
    let mut numbers: Vec<f64> = lines.iter().flat_map(|line| line.points.iter().map(|point| point.0)).collect();
    numbers.sort_by(f64::total_cmp);
    numbers.dedup();
    let figures: Vec<f64> = lines.iter().flat_map(|line| line.points.iter().map(|point| point.1)).collect();
    let x = Axis::logarithmic(&numbers, ROOM).filter(|_| numbers.len() > 1)?;
    let labels: Vec<&str> = lines.iter().map(|line| line.contender.as_str()).collect();
    let signs: [Sign; 0] = [];
    let (plane, mut canvas) = Plane::begin(&labels, &signs, HEIGHT, x, |room| Axis::logarithmic(&figures, room))?;
    numbers.iter().for_each(|number| plane.tick_across(&mut canvas, *number, &number.to_string()));
    plane.ticks_upwards(&mut canvas, |tick| value(tick, unit));
    plane.titles(&mut canvas, "clients, logarithmic →", &format!("↑ {unit}, logarithmic"));
    for (index, line) in lines.iter().enumerate() {
        plane.path(&mut canvas, index, &format!("path p50 {}", class(index)), &line.points);
    }
    Some(canvas.finish(&format!("Figures against the number of clients, {} contenders", lines.len())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_number_of_clients_has_no_drawing() {
        let line = |points: &[(f64, f64)]| ScalingLine { contender: "a".to_owned(), points: points.to_vec() };
        assert_eq!(against_clients(&[line(&[(4.0, 10.0)])], "ops/s"), None);
        let svg = against_clients(&[line(&[(1.0, 10.0), (2.0, 18.0), (4.0, 30.0)])], "ops/s").expect("a drawing");
        assert!(svg.contains("polyline") && svg.contains("clients"), "{svg}");
    }
}
