//! Words for people, on stderr. Perhaps they cannot be written, since the terminal is gone or the disk behind a
//! redirection is full: then they are lost, and the run goes on.

use std::io::Write;

use fsarena_report::visible_lines;

/// Writes a message. No text in it rules the terminal; its further lines are indented, so that none passes for a
/// message.
pub fn tell(message: &str) {
    let message = visible_lines(message);
    let indented = |line: &str| if line.is_empty() { "\n".to_owned() } else { format!("\n  {line}") };
    let mut lines = message.trim_end().split('\n');
    let first = lines.next().unwrap_or_default().to_owned();
    let text = lines.fold(first, |text, line| text + &indented(line)) + "\n";
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// [`tell`], with the arguments of `format!`.
macro_rules! note {
    ($($argument:tt)*) => { $crate::note::tell(&format!($($argument)*)) };
}

pub(crate) use note;
