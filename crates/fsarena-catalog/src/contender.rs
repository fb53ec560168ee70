//! Contenders as given on the command line, directly or as the name of a file.

use std::path::PathBuf;

use fsarena_model::{BlockLayer, Contender, Label};
use serde::Deserialize;

use crate::{CatalogError, read, what_is_wrong};

/// Contents of a contender's TOML file.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct ContenderFile {
    kind: String,
    kernel: Option<String>,
    label: Option<String>,
    #[serde(default)]
    mount: String,
    #[serde(default)]
    mkfs: Vec<String>,
    path: Option<PathBuf>,
    layers: Option<String>,
    disk: Option<String>,
}

/// The contender that `argument` specifies, or that the file named by `argument` contains.
///
/// # Errors
/// If the argument or the file is malformed, or the file cannot be read.
pub fn contender(argument: &str) -> Result<Contender, CatalogError> {
    let Some(path) = Contender::toml_file(argument) else { return Ok(argument.parse()?) };
    of_text(argument, &path.display().to_string(), &read(&path)?)
}

/// The contender in the text of the file `name`. `argument` is the command-line argument.
pub fn of_text(argument: &str, name: &str, text: &str) -> Result<Contender, CatalogError> {
    let file: ContenderFile = toml::from_str(text).map_err(|error| {
        let (line, what) = what_is_wrong(text, &error);
        CatalogError::MalformedContender { name: name.to_owned(), line, what }
    })?;
    if (file.kind == Contender::DIRECTORY) != file.path.is_some() {
        return Err(malformed(name, "`path` belongs to `kind = \"dir\"`, and only to that"));
    }
    if file.kind == Contender::DIRECTORY && !file.mount.is_empty() {
        return Err(malformed(name, "`mount` does not go with `kind = \"dir\"`: nothing is mounted"));
    }
    if file.kind == Contender::DIRECTORY && file.kernel.is_some() {
        return Err(malformed(
            name,
            "`kernel` does not go with `kind = \"dir\"`: a guest has no directory of this machine",
        ));
    }
    let label = match &file.label {
        Some(label) => Label::checked(argument, label)?,
        None => Label(argument.to_owned()),
    };
    let disk = file.disk.as_deref().map(str::parse).transpose();
    let disk = disk.map_err(|what: String| malformed(name, &what))?;
    let layers =
        file.layers.as_deref().map(|layers| format!("{}@{layers}", file.kind).parse::<Contender>()).transpose()?;
    let layers = layers.map_or_else(Vec::new, |own| own.layers);
    if file.layers.as_ref().is_some_and(|typed| *typed != BlockLayer::stack(&layers)) {
        return Err(malformed(name, "`layers` has layers only, as after the `@` in `ext4@luks+lvm`"));
    }
    let ContenderFile { kind, kernel, mount, mkfs, path, .. } = file;
    let contender = Contender { label, kind, kernel, layers, disk, mount, mkfs, path };
    Ok(contender.relabelled(argument)?)
}

fn malformed(name: &str, what: &str) -> CatalogError {
    CatalogError::MalformedContender { name: name.to_owned(), line: None, what: what.to_owned() }
}
