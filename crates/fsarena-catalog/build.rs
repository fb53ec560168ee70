//! Lists the files below `catalog/`, so that adding one needs no line of Rust.

use std::fmt::Write;
use std::path::{Path, PathBuf};

fn main() {
    let catalog = Path::new(&std::env::var("CARGO_MANIFEST_DIR").expect("set by cargo")).join("../../catalog");
    let mut code = String::new();
    let folders = [
        ("WORKLOADS", "workloads"),
        ("VALIDATION", "validation"),
        ("SUITES", "suites"),
        ("PROFILES", "profiles"),
        ("PUBLISHED", "published"),
    ];
    for (name, folder) in folders {
        let folder = catalog.join(folder);
        println!("cargo::rerun-if-changed={}", folder.display());
        writeln!(code, "static {name}: &[(&str, &str)] = &[{}];", entries(&folder)).expect("a string takes it");
    }
    let target = PathBuf::from(std::env::var("OUT_DIR").expect("set by cargo")).join("files.rs");
    std::fs::write(target, code).expect("cargo's own folder is writable");
}

/// `(name, text)` of each TOML file, in the order of their names.
fn entries(folder: &Path) -> String {
    let files = std::fs::read_dir(folder).expect("the catalogue is there");
    let mut paths: Vec<PathBuf> = files.map(|file| file.expect("readable").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    paths.sort();
    let entry = |path: &PathBuf| {
        println!("cargo::rerun-if-changed={}", path.display());
        let (name, path) = (path.file_stem().expect("it has a name"), path.canonicalize().expect("it is there"));
        format!("({name:?}, include_str!({path:?})),")
    };
    paths.iter().map(entry).collect()
}
