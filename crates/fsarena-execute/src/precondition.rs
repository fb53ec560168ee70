//! Preconditioning: how long lanes are written at random, and the note about the result.

use fsarena_lane::{Go, LaneError, LaneSet};
use fsarena_model::event::Note;
use fsarena_model::units::significant;
use fsarena_model::{Preconditioned, Severity, Storage};
use fsarena_stats::SteadyWindow;

/// Maximum number of rounds for a device that does not reach a steady state (SNIA's PTS 2.0.2).
const MOST_ROUNDS: usize = 25;

/// Writes the lanes of `lane_set` until they are steady, for at most `MOST_ROUNDS` rounds. `None` without lanes, or if
/// `telling` returns [`Go::Stop`].
///
/// # Errors
/// If a lane fails.
pub fn precondition(
    lane_set: &LaneSet,
    telling: &mut dyn FnMut(&str) -> Go,
) -> Result<Option<Preconditioned>, LaneError> {
    let goes_on = |rates: &[f64]| if is_steady(rates) || rates.len() >= MOST_ROUNDS { Go::Stop } else { Go::On };
    let rates = lane_set.precondition(telling, &goes_on)?;
    Ok(rates.map(|writes_per_second| Preconditioned { is_steady: is_steady(&writes_per_second), writes_per_second }))
}

fn is_steady(rates: &[f64]) -> bool {
    SteadyWindow::of(rates).is_some_and(|window| window.is_steady())
}

/// The note about the result, with its figures.
pub fn note(done: &Preconditioned, storage: &Storage) -> Note {
    let (severity, outcome) = match done.is_steady {
        true => (Severity::Info, "they are in their steady state"),
        false => (Severity::Warning, "they are not in a steady state, and figures may drift"),
    };
    let rounds = done.writes_per_second.len();
    let window = SteadyWindow::of(&done.writes_per_second).map(|window| {
        format!(
            " of the last five rounds {} writes/s, range {} %, slope {} % (SNIA: at most 20 % and 10 %)",
            significant(window.mean, 3),
            significant(window.range * 100.0, 2),
            significant(window.slope * 100.0, 2)
        )
    });
    let images = match storage {
        Storage::Disk(_) | Storage::Partitions(_) => "",
        _ => "; this is meant for disks: here it is images that were written",
    };
    let figures = window.map(|figures| format!(":{figures}")).unwrap_or_default();
    let text =
        format!("the lanes were preconditioned with {rounds} rounds of random writes, and {outcome}{figures}{images}");
    Note { severity, text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note_of(rates: &[f64], storage: Storage) -> Note {
        let done = Preconditioned { writes_per_second: rates.to_vec(), is_steady: is_steady(rates) };
        note(&done, &storage)
    }

    #[test]
    fn a_steady_device_has_a_note_with_its_figures() {
        let note = note_of(&[900.0, 100.0, 102.0, 98.0, 101.0, 99.0], Storage::Disk("/dev/sdb".into()));
        let words = "the lanes were preconditioned with 6 rounds of random writes, and they are in their steady state: of the last \
                     five rounds 100 writes/s, range 4.0 %, slope 1.2 % (SNIA: at most 20 % and 10 %)";
        assert_eq!((note.severity, note.text.as_str()), (Severity::Info, words));
    }

    #[test]
    fn an_unsteady_device_and_images_have_notes_of_their_own() {
        let rates: Vec<f64> = (1..=MOST_ROUNDS).map(|round| 1000.0 / round as f64).collect();
        let note = note_of(&rates, Storage::Memory);
        assert_eq!(note.severity, Severity::Warning);
        assert!(note.text.contains("not in a steady state") && note.text.contains("meant for disks"), "{}", note.text);
    }
}
