//! Messages for people, on stderr. Write errors are ignored, because the terminal may be gone, or the disk of a
//! redirection full: the run continues.

use std::io::Write;

use fsarena_model::visible::visible_lines;

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

/// [`tell`](note::tell), with the arguments of `format!`.
#[macro_export]
macro_rules! note {
    ($($argument:tt)*) => { $crate::note::tell(&format!($($argument)*)) };
}
