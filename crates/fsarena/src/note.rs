//! Words for people, on stderr. Perhaps they cannot be written, since the terminal is gone or the disk behind a redirection
//! is full: then they are lost, and the run goes on.

use std::io::Write;

use fsarena_report::visible_lines;

/// Writes a message. No text in it rules the terminal; its further lines are indented, so that none passes for a message.
pub fn tell(message: &str) {
    let message = visible_lines(message).replace('\n', "\n  ");
    let _ = std::io::stderr().lock().write_all(format!("{message}\n").as_bytes());
}

/// [`tell`], with the arguments of `format!`.
macro_rules! note {
    ($($argument:tt)*) => { $crate::note::tell(&format!($($argument)*)) };
}

pub(crate) use note;
