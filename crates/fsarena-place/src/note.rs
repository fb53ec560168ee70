//! Messages for people: on stderr, and as events of a run. Write errors of stderr are ignored, because the terminal may
//! be gone, or the disk of a redirection full: the run continues.

use std::io::Write;

use fsarena_execute::{Listener, RunError};
use fsarena_model::event::Note;
use fsarena_model::visible::visible_lines;
use fsarena_model::{Event, Severity};

/// Writes a message. Control characters are escaped, and further lines are indented, so that no line looks like another
/// message.
pub fn tell(message: &str) {
    let message = visible_lines(message);
    let indented = |line: &str| if line.is_empty() { "\n".to_owned() } else { format!("\n  {line}") };
    let mut lines = message.trim_end().split('\n');
    let first = lines.next().unwrap_or_default().to_owned();
    let text = lines.fold(first, |text, line| text + &indented(line)) + "\n";
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// Sends steps of the preparation to `listener`. If one cannot be stored, neither can the next event, and the run ends.
pub(crate) fn preparing(listener: &mut dyn Listener) -> impl FnMut(&str) {
    move |what| drop(listener.hear(&Event::Preparing(what.to_owned())))
}

/// A listener that ignores events.
pub(crate) struct Ignored;

impl Listener for Ignored {
    fn hear(&mut self, _event: &Event) -> Result<(), String> {
        Ok(())
    }
}

/// Adds a note to the run of `listener`.
pub(crate) fn add(listener: &mut dyn Listener, severity: Severity, text: String) -> Result<(), RunError> {
    listener.hear(&Event::Note(Note { severity, text })).map_err(RunError::Listener)
}

/// [`tell`](note::tell), with the arguments of `format!`.
#[macro_export]
macro_rules! note {
    ($($argument:tt)*) => { $crate::note::tell(&format!($($argument)*)) };
}
