//! The contenders of a command line.

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use fsarena_catalog::Suite;
use fsarena_lane::require;
use fsarena_model::visible::shell;
use fsarena_model::{Contender, Label, Matrix};
use fsarena_place::{Refusal, Refusals};
use fsarena_sys::mount;

use crate::cli::{Compare, PlaceArguments};

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
pub fn usual_contenders<'a>(suite: &'a Suite, place: &PlaceArguments) -> &'a [String] {
    if place.guest.is_some() && !suite.guest_contenders.is_empty() {
        &suite.guest_contenders
    } else {
        &suite.contenders
    }
}

/// The contenders `named`, followed by those by which explanations of their kinds are tested.
pub fn with_knobs(named: &[String]) -> Vec<String> {
    let knobs = named.iter().filter_map(|name| fsarena_lane::kind(name)).flat_map(|kind| kind.symbols.knobs);
    with_further(named, knobs.flat_map(|knob| [knob.with, knob.without]))
}

/// The contenders `named`, followed by those of `further` whose plain kind is one of them, each once.
pub fn with_further<'a>(named: &[String], further: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut all = named.to_vec();
    for name in further {
        let kind = name.split([':', ' ']).next().unwrap_or_default();
        if named.iter().any(|one| one == kind) && !all.iter().any(|known| known == name) {
            all.push(name.to_owned());
        }
    }
    all
}

/// The contenders of a command line, followed by those of its matrices, and notes for the user.
///
/// # Errors
/// All that are refused.
pub fn contenders(arguments: &[String], of_matrices: Vec<Contender>) -> Result<(Vec<Contender>, Vec<String>)> {
    let mut refusals = Refusals::default();
    let accepted = accepted(arguments, of_matrices, &mut refusals);
    refusals.end().map(|()| accepted)
}

/// Those of [`contenders`] that are accepted; the others are refused.
pub fn accepted(
    arguments: &[String],
    of_matrices: Vec<Contender>,
    refusals: &mut Refusals,
) -> (Vec<Contender>, Vec<String>) {
    let (mut contenders, mut notes): (Vec<Contender>, Vec<String>) = (Vec::new(), Vec::new());
    let named = arguments.iter().filter_map(|argument| {
        refusals.take(require_no_braces(argument))?;
        refusals.take(fsarena_catalog::contender(argument))
    });
    for mut contender in named.collect::<Vec<_>>().into_iter().chain(of_matrices) {
        notes.extend(without_words_of_fstab(&mut contender));
        let is_sound = [
            refusals.take(require_short(&contender.label)),
            refusals.take(require_new(&contenders, &contender)),
            refusals.take(require::contender(&contender)),
        ];
        if is_sound.iter().all(Option::is_some) {
            contenders.push(contender);
        }
    }
    (contenders, notes)
}

/// Refuses alternatives in braces outside of a matrix.
fn require_no_braces(argument: &str) -> Result<()> {
    match Matrix::parse(argument) {
        Ok((_, contenders)) if !contenders.iter().any(Contender::is_directory) => {
            let text = format!("the contender `{argument}` has alternatives in braces, which only a matrix has");
            bail!(Refusal::wrong_use(text, format!("--matrix {}", shell(argument))))
        }
        _ => Ok(()),
    }
}

/// Removes mount options that never reach the kernel, and says so.
fn without_words_of_fstab(contender: &mut Contender) -> Option<String> {
    let (ignored, kept): (Vec<&str>, Vec<&str>) = contender.mount.split(',').partition(|word| mount::is_of_fstab(word));
    let note = (!ignored.is_empty()).then(|| {
        let (words, verb) = (ignored.join("`, `"), if ignored.len() == 1 { "is" } else { "are" });
        format!("`{}`: `{words}` {verb} for /etc/fstab, not for the file system, and without effect", contender.label)
    });
    contender.mount = kept.join(",");
    note
}

fn require_new(others: &[Contender], contender: &Contender) -> Result<()> {
    let Some(known) = others.iter().find(|other| other.label == contender.label) else { return Ok(()) };
    let text = format!("two contenders have the label `{}`", contender.label);
    // Without a label of its own.
    let unnamed = |contender: &Contender| Contender { label: Label::from(""), ..contender.clone() };
    let plain = |contender| unnamed(contender).spelling().unwrap_or_else(|| "FILE.toml".to_owned());
    bail!(Refusal::wrong_use(text, format!("give each its own: a={} b={}", plain(known), plain(contender))))
}

/// The matrices of a command line, and their contenders.
pub fn matrices(arguments: &[String]) -> Result<(Vec<Matrix>, Vec<Contender>)> {
    let parsed: Result<Vec<(Matrix, Vec<Contender>)>, _> =
        arguments.iter().map(|argument| Matrix::parse(argument)).collect();
    let (matrices, contenders): (Vec<_>, Vec<_>) = parsed?.into_iter().unzip();
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
            bail!(Refusal::wrong_use(text, "give it a shorter one: a=ext4:noatime, b=dir:/a/long/path"))
        }
    }
}
