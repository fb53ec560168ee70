//! The contenders of a command line.

use std::collections::BTreeMap;

use anyhow::Result;
use fsarena_catalog::Suite;
use fsarena_lane::require;
use fsarena_model::{Contender, Label, Matrix};

use crate::cli::{Compare, Place};
use crate::exit::Refusal;

/// Maximum length of a label, in characters.
const LONGEST_LABEL: usize = 64;

/// The contenders from the arguments; otherwise those of the suite.
pub fn named<'a>(arguments: &'a Compare, suite: Option<&'a Suite>) -> Result<&'a [String]> {
    let typed = Some(arguments.contenders.as_slice()).filter(|contenders| !contenders.is_empty());
    if typed.is_none() && !arguments.matrix.is_empty() {
        return Ok(&[]);
    }
    let usual = suite.map(|suite| usual_contenders(suite, &arguments.setup.place));
    let named = typed.or(usual).filter(|contenders| !contenders.is_empty());
    let refusal = || Refusal::wrong_use("no contender is named", "name some, as in fsarena compare ext4 xfs");
    Ok(named.ok_or_else(refusal)?)
}

/// The contenders of a suite in that place.
pub fn usual_contenders<'a>(suite: &'a Suite, place: &Place) -> &'a [String] {
    if place.guest.is_some() && !suite.guest_contenders.is_empty() {
        &suite.guest_contenders
    } else {
        &suite.contenders
    }
}

/// The contenders of a command line, followed by those of its matrices.
pub fn contenders(arguments: &[String], of_matrices: Vec<Contender>) -> Result<Vec<Contender>> {
    let mut contenders: Vec<Contender> = Vec::new();
    let named: Vec<Contender> =
        arguments.iter().map(|argument| fsarena_catalog::contender(argument)).collect::<Result<_, _>>()?;
    for contender in named.into_iter().chain(of_matrices) {
        require_short(&contender.label)?;
        if contenders.iter().any(|other| other.label == contender.label) {
            let text = format!("two contenders have the label `{}`", contender.label);
            // Without a label of its own.
            let unnamed = Contender { label: Label::from(""), ..contender };
            let plain = unnamed.spelling().unwrap_or_else(|| "FILE.toml".to_owned());
            let hint = format!("give one of them another: a={plain} b={plain}");
            return Err(Refusal::wrong_use(text, hint).into());
        }
        contenders.push(contender);
    }
    require::contenders(&contenders)?;
    Ok(contenders)
}

/// The matrices of a command line, and their contenders.
pub fn matrices(arguments: &[String]) -> Result<(Vec<Matrix>, Vec<Contender>)> {
    let hint = "--matrix 'btrfs:compress={no,zstd:1}', or --matrix 'ext4:{,noatime} -O {,^}has_journal'";
    let parsed =
        |argument: &String| Matrix::parse(argument).map_err(|error| Refusal::wrong_use(error.to_string(), hint));
    let parsed: Vec<(Matrix, Vec<Contender>)> = arguments.iter().map(parsed).collect::<Result<_, _>>()?;
    let (matrices, contenders): (Vec<_>, Vec<_>) = parsed.into_iter().unzip();
    Ok((matrices, contenders.concat()))
}

/// The arguments that name contender files, by the label of the contender in each.
pub fn contender_files(arguments: &[String]) -> Result<BTreeMap<String, String>> {
    let files = arguments.iter().filter(|argument| Contender::toml_file(argument).is_some());
    files.map(|argument| Ok((fsarena_catalog::contender(argument)?.label.0, argument.clone()))).collect()
}

/// Refuses long labels, because labels are in every table.
fn require_short(label: &Label) -> Result<()> {
    let length = label.0.chars().count();
    match length <= LONGEST_LABEL {
        true => Ok(()),
        false => {
            let begin: String = label.0.chars().take(LONGEST_LABEL / 2).collect();
            let text = format!("the label `{begin}…` has {length} characters, and {LONGEST_LABEL} are the most");
            Err(Refusal::wrong_use(text, "give it a shorter one: a=ext4:noatime, b=dir:/a/long/path").into())
        }
    }
}
