//! The external programs that did the work, with their command lines and configuration.

use std::collections::BTreeMap;

use fsarena_model::Environment;
use serde::Serialize;

use crate::remark::listed;

/// Settings that some workloads share.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Told {
    /// The workloads, by name.
    pub workloads: String,
    /// Command lines and lines of configuration; `LANE` is where they worked.
    pub lines: Vec<String>,
}

/// The settings of all workloads. Equal settings are listed once, with all their workloads.
pub fn told(environment: &Environment) -> Vec<Told> {
    let mut all: BTreeMap<&[String], Vec<&str>> = BTreeMap::new();
    for (workload, lines) in &environment.settings {
        all.entry(lines).or_default().push(workload);
    }
    let told =
        |(lines, workloads): (&[String], Vec<&str>)| Told { workloads: listed(workloads), lines: lines.to_vec() };
    all.into_iter().map(told).collect()
}

/// `Programs: mariadbd 10.11, and sysbench 1.0.20. …`; `None` if no program has settings.
pub fn sentence(environment: &Environment) -> Option<String> {
    let versions = listed(environment.tools.iter().map(|(name, version)| named(name, version)));
    (!environment.settings.is_empty()).then(|| {
        format!("Programs: {versions}. Their settings are on the page and, as `environment.settings`, in the JSON.")
    })
}

/// The version, with the program's name in front unless it contains that name.
fn named(name: &str, version: &str) -> String {
    if version.contains(name) { version.to_owned() } else { format!("{name} {version}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_twice_is_said_once() {
        let mut environment = Environment::default();
        assert_eq!((told(&environment), sentence(&environment)), (Vec::new(), None));
        let lines = |text: &str| vec![text.to_owned()];
        for (workload, text) in [("a", "server --x"), ("b", "server --x"), ("c", "client")] {
            environment.settings.insert(workload.to_owned(), lines(text));
        }
        environment.tools.insert("server".to_owned(), "server 1.2".to_owned());
        environment.tools.insert("client".to_owned(), "3".to_owned());
        let told = told(&environment);
        assert_eq!(told.len(), 2);
        assert!(told.contains(&Told { workloads: "a and b".to_owned(), lines: lines("server --x") }), "{told:?}");
        assert!(sentence(&environment).is_some_and(|text| text.starts_with("Programs: client 3 and server 1.2.")));
    }
}
