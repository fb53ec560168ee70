//! Predicted against measured ratios, on logarithmic axes: on the diagonal they are equal.

use super::axis::Axis;
use super::plane::{Plane, ROOM};
use super::{Sign, marks};
use crate::number::three_digits;

/// Height of the plane: that of a square.
const HEIGHT: f64 = ROOM.1 - ROOM.0;

/// The drawing of pairs of predicted and measured ratios, by the name of their group; `None` if there is none.
pub fn predicted_against_measured(groups: &[(&str, Vec<(f64, f64)>)]) -> Option<String> {
    let all: Vec<f64> = groups.iter().flat_map(|(_, points)| points).flat_map(|point| [point.0, point.1]).collect();
    let first = all.first()?;
    let axis = |room| Axis::of_ratios(&all, 1.0, room);
    let names: Vec<&str> = groups.iter().map(|(name, _)| *name).collect();
    let signs = [Sign::Line("", "predicted = measured")];
    let (plane, mut canvas) = Plane::begin(&names, &signs, HEIGHT, axis(ROOM)?, axis)?;
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
    use super::*;

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
