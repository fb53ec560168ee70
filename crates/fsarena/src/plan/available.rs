//! The workloads of a suite that can run here, because their programs are installed.

use anyhow::Result;
use fsarena_model::{Contender, Unavailable, Workload};
use fsarena_place::ENGINES;

use crate::cli::PlaceArguments;

/// The workloads that can run with these contenders in that place, and those that cannot. A guest fetches the programs.
///
/// # Errors
/// If none can run: the programs that the first one lacks.
pub fn available(
    workloads: Vec<Workload>,
    place: &PlaceArguments,
    contenders: &[Contender],
) -> Result<(Vec<Workload>, Vec<Unavailable>)> {
    if place.is_guest(contenders) {
        return Ok((workloads, Vec::new()));
    }
    let (here, missing) = parted(&workloads, |workload| ENGINES.missing(workload));
    if let ([], Some(first)) = (here.as_slice(), workloads.first()) {
        ENGINES.of(first)?.require(first)?;
    }
    Ok((here, missing))
}

fn parted(workloads: &[Workload], missing: impl Fn(&Workload) -> Vec<String>) -> (Vec<Workload>, Vec<Unavailable>) {
    let (mut here, mut not_here) = (Vec::new(), Vec::new());
    for workload in workloads {
        match missing(workload) {
            packages if packages.is_empty() => here.push(workload.clone()),
            packages => not_here.push(Unavailable { workload: workload.name.to_string(), packages }),
        }
    }
    (here, not_here)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workloads_without_their_programs_are_left_out_with_the_packages() {
        let workloads: Vec<Workload> =
            ["phoronix-sqlite", "stat-tree"].map(|name| fsarena_catalog::workload(name).expect("there")).to_vec();
        let lacks = |workload: &Workload| match workload.engine.as_str() {
            "program" => vec!["one".to_owned(), "two".to_owned()],
            _ => Vec::new(),
        };
        let (here, missing) = parted(&workloads, lacks);
        assert_eq!(here, workloads[1..]);
        let text = "`phoronix-sqlite` is left out, since programs are not installed: apt-get install one two";
        assert_eq!(missing.iter().map(ToString::to_string).collect::<Vec<_>>(), [text]);
    }
}
