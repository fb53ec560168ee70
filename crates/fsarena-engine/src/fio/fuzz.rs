//! Entry points for fuzz tests: all code that reads a job file before fio does, or reads fio's output.

use super::file::JobFile;
use super::output::{self, Order, Reading};
use super::{choose, forbidden, space, translate};
use crate::{Operation, RunStats};

/// Translates a job file into workloads, without running fio.
pub fn understand_job(text: &str) {
    let Ok(file) = JobFile::parse("x", text, &|_| Some("1".to_owned())) else { return };
    let _ = (forbidden::check(&file), space::demand(&file), translate::direct_block(&file), translate::lasts(&file));
    let _ = file.text(&["directory"], &["directory=/x".to_owned()]);
    let _ = translate::as_it_is(fsarena_model::Name::from_text("x"), &file);
    let _ = choose::natively("x", &file);
}

/// Reads fio's output into run statistics.
pub fn understand_output(text: &str, stats: &mut RunStats) {
    for order in [Order::Together, Order::InTurn] {
        let _ = output::read(text, Reading { order, sync: Operation::Fsync }, stats);
    }
    let _ = output::words(text, text);
}
