//! Prints a made-up comparison in a format, to look at during development: `cargo run -p fsarena-report --example
//! fixture -- html > /tmp/report.html`. A further argument names a variation, or a report in JSON to read instead.

use std::io::Write;

use fsarena_report::Additions;

#[path = "../tests/report/fixture/mod.rs"]
#[allow(dead_code, unused_imports)]
mod fixture;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_else(|| "text".to_owned());
    let comparison = match arguments.next().as_deref() {
        Some("two") => fixture::only(&["ext4", "xfs"]),
        Some("tmpfs") => fixture::with_tmpfs(),
        Some("crowded") => fixture::crowded(),
        Some("open_loops") => fixture::open_loops(),
        Some("interrupted") => fixture::interrupted(),
        Some(path) if path.ends_with(".json") => {
            let json = std::fs::read_to_string(path).expect("readable");
            serde_json::from_str(&json).expect("a report")
        }
        _ => fixture::fixture(),
    };
    let format = fsarena_report::FORMATS.iter().find(|format| format.name == name);
    let Some(format) = format else { return eprintln!("no format `{name}`") };
    match (format.render)(&comparison, Additions::default()) {
        Ok(document) => std::io::stdout().write_all(document.bytes()).expect("stdout is open"),
        Err(nothing) => eprintln!("{}", nothing.why),
    }
}
