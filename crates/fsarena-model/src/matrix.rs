//! Matrices of contenders: one argument with alternatives in braces, and the contenders that it stands for.

use serde::{Deserialize, Serialize};

use crate::contender::ContenderError;
use crate::{Contender, ErrorCategory, Explained, Label, joined, repeated};

/// Maximum number of contenders of one matrix.
const MOST: usize = 64;

/// An argument such as `btrfs:compress={no,zstd:1}`. Each pair of braces is a factor, each alternative in it a level;
/// the contenders are all combinations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Matrix {
    /// The argument as typed.
    pub argument: String,
    /// The factors, in the order of the argument.
    pub factors: Vec<Factor>,
    /// The contenders; the level of the last factor changes first.
    pub combinations: Vec<Combination>,
}

/// One pair of braces.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Factor {
    /// The option's name, or its alternatives.
    pub name: String,
    /// The option with each of the alternatives: `compress=no`, `compress=zstd:1`.
    pub levels: Vec<String>,
}

/// A contender of a matrix.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Combination {
    /// The contender.
    pub label: Label,
    /// The index of its level, for each factor.
    pub levels: Vec<usize>,
}

/// A level that adds nothing to the options.
const NOTHING: &str = "without";

/// Why a matrix was refused, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct MatrixError {
    text: String,
    hint: &'static str,
}

/// What a matrix looks like.
const FORM: &str = "--matrix 'btrfs:compress={no,zstd:1}', --matrix 'ext4:{,noatime} -O {,^}has_journal', or --matrix \
                    'ext4@{,luks}'";

fn refused<T>(text: String, hint: &'static str) -> Result<T, MatrixError> {
    Err(MatrixError { text, hint })
}

impl From<ContenderError> for MatrixError {
    fn from(error: ContenderError) -> Self {
        let hint = "each combination is a contender: KIND[@LAYERS,KERNEL,DISK][:MOUNT-OPTIONS][ MKFS-ARGUMENTS]";
        Self { text: error.to_string(), hint }
    }
}

/// A piece of an argument: fixed text, or alternatives.
enum ArgumentPiece<'a> {
    Text(&'a str),
    Braces(Vec<&'a str>),
}

impl Explained for MatrixError {
    fn category(&self) -> ErrorCategory {
        ErrorCategory::Use
    }

    fn hint(&self) -> Option<String> {
        Some(self.hint.to_owned())
    }
}

impl Matrix {
    /// The matrix of an argument, and its contenders.
    ///
    /// # Errors
    /// [`MatrixError`].
    pub fn parse(argument: &str) -> Result<(Self, Vec<Contender>), MatrixError> {
        let pieces = pieces(argument)?;
        let sizes: Vec<usize> = braces(&pieces).map(Vec::len).collect();
        if sizes.is_empty() {
            return refused(format!("the matrix `{argument}` has no alternatives in braces"), FORM);
        }
        let count = sizes.iter().fold(1_usize, |product, size| product.saturating_mul(*size));
        if count > MOST {
            let text = format!("the matrix `{argument}` stands for {count} contenders, and {MOST} are the most");
            return refused(text, "leave alternatives out, or spread them over several --matrix");
        }
        let all = all_levels(&sizes);
        let contenders: Vec<Contender> =
            all.iter().map(|levels| contender(argument, &text(&pieces, levels))).collect::<Result<_, _>>()?;
        let combination =
            |(contender, levels): (&Contender, Vec<usize>)| Combination { label: contender.label.clone(), levels };
        let combinations = contenders.iter().zip(all).map(combination).collect();
        let factors = braces(&pieces).enumerate().map(|(number, levels)| factor(&pieces, number, levels)).collect();
        Ok((Self { argument: argument.to_owned(), factors, combinations }, contenders))
    }

    /// Whether it has the contender of that label.
    pub fn has(&self, label: &Label) -> bool {
        self.combinations.iter().any(|combination| combination.label == *label)
    }
}

fn pieces(argument: &str) -> Result<Vec<ArgumentPiece<'_>>, MatrixError> {
    let (mut pieces, mut rest) = (Vec::new(), argument);
    let unbalanced = format!("the matrix `{argument}` has a brace without its counterpart, or braces within braces");
    while let Some((before, after)) = rest.split_once('{') {
        let (inside, behind) = match after.split_once('}') {
            Some((inside, behind)) if !before.contains('}') && !inside.contains('{') => (inside, behind),
            _ => return refused(unbalanced, FORM),
        };
        let levels: Vec<&str> = inside.split(',').collect();
        if levels.len() < 2 || repeated(&levels).is_some() {
            let text = format!("the matrix `{argument}`: `{{{inside}}}` is not a list of different alternatives");
            return refused(text, FORM);
        }
        pieces.extend([ArgumentPiece::Text(before), ArgumentPiece::Braces(levels)]);
        rest = behind;
    }
    if rest.contains('}') {
        return refused(unbalanced, FORM);
    }
    pieces.push(ArgumentPiece::Text(rest));
    Ok(pieces)
}

fn braces<'a, 'b>(pieces: &'b [ArgumentPiece<'a>]) -> impl Iterator<Item = &'b Vec<&'a str>> {
    pieces.iter().filter_map(|piece| match piece {
        ArgumentPiece::Text(_) => None,
        ArgumentPiece::Braces(levels) => Some(levels),
    })
}

/// The levels of all combinations; that of the last factor changes first.
fn all_levels(sizes: &[usize]) -> Vec<Vec<usize>> {
    sizes.iter().fold(vec![Vec::new()], |all, size| {
        let further = |levels: Vec<usize>| (0..*size).map(move |level| [&levels[..], &[level]].concat());
        all.into_iter().flat_map(further).collect()
    })
}

/// The argument with these levels in place of the braces.
fn text(pieces: &[ArgumentPiece<'_>], levels: &[usize]) -> String {
    let mut levels = levels.iter();
    let piece = |piece: &ArgumentPiece<'_>| match piece {
        ArgumentPiece::Text(text) => (*text).to_owned(),
        ArgumentPiece::Braces(all) => levels.next().map_or(String::new(), |level| all[*level].to_owned()),
    };
    pieces.iter().map(piece).collect()
}

/// The contender in its shortest spelling, which is its label: empty alternatives leave separators behind.
fn contender(argument: &str, text: &str) -> Result<Contender, MatrixError> {
    let (kind, options) = text.split_at(text.find([':', ' ']).unwrap_or(text.len()));
    let (kind, below) = kind.split_once('@').unwrap_or((kind, ""));
    let below = joined(below.split(',').map(|word| word.trim_matches('+')).filter(|word| !word.is_empty()), ",");
    let at = if below.is_empty() { "" } else { "@" };
    let text = format!("{kind}{at}{below}{options}");
    let mut contender: Contender = text.parse()?;
    if contender.label.0 != text {
        let text = format!("the matrix `{argument}` has a label, which all of its contenders would have");
        return refused(text, "leave the label out");
    }
    contender.mount = joined(contender.mount.split(',').filter(|option| !option.is_empty()), ",");
    contender.label = Label::default();
    let spelling = contender.spelling().unwrap_or_default();
    contender.label = Label(spelling.trim_start_matches('=').to_owned());
    Ok(contender)
}

/// The factor of one pair of braces. Its levels are the whole options that the braces are part of.
fn factor(pieces: &[ArgumentPiece<'_>], number: usize, alternatives: &[&str]) -> Factor {
    let mut places = 0..;
    // A mark that no argument has shows where the braces were.
    let marked = pieces.iter().map(|piece| match piece {
        ArgumentPiece::Text(text) => *text,
        ArgumentPiece::Braces(_) if places.next() == Some(number) => "\0",
        ArgumentPiece::Braces(_) => "…",
    });
    let option = option(&marked.collect::<String>());
    let levels: Vec<String> = alternatives.iter().map(|level| option.replace('\0', level)).collect();
    let options: Vec<&str> = levels.iter().map(String::as_str).filter(|level| !level.is_empty()).collect();
    let name = |option: &&str| option.split_once('=').map(|(name, _)| name.to_owned());
    let common =
        options.first().and_then(name).filter(|first| options.iter().all(|it| name(it).as_ref() == Some(first)));
    let named = |level: &String| if level.is_empty() { NOTHING.to_owned() } else { level.clone() };
    Factor { name: common.unwrap_or_else(|| options.join("/")), levels: levels.iter().map(named).collect() }
}

/// The option of an argument that has the mark, a NUL: the kind, an option of mount, or one of mkfs with its letter.
fn option(marked: &str) -> String {
    let of_list = |list: &str| list.split(',').find(|option| option.contains('\0')).unwrap_or_default().to_owned();
    let words: Vec<&str> = marked.split(' ').collect();
    let place = words.iter().position(|word| word.contains('\0')).unwrap_or_default();
    let of_kind = |kind: &str| match kind.split_once('@') {
        Some((name, below)) if !name.contains('\0') => of_list(below),
        _ => kind.to_owned(),
    };
    match (place, words[place].split_once(':')) {
        (0, Some((kind, mount))) if !kind.contains('\0') => of_list(mount),
        (0, Some((kind, _))) => of_kind(kind),
        (0, None) => of_kind(words[0]),
        _ if words[place - 1].starts_with('-') => format!("{} {}", words[place - 1], of_list(words[place])),
        _ => of_list(words[place]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(argument: &str) -> (Vec<String>, Vec<(String, Vec<String>)>) {
        let (matrix, contenders) = Matrix::parse(argument).expect("sound");
        let labels = contenders.iter().map(|contender| contender.label.0.clone()).collect();
        assert!(matrix.combinations.iter().zip(&contenders).all(|(one, other)| one.label == other.label));
        for contender in &contenders {
            assert_eq!(contender.label.0.parse::<Contender>().as_ref(), Ok(contender), "the label repeats it");
        }
        (labels, matrix.factors.into_iter().map(|factor| (factor.name, factor.levels)).collect())
    }

    fn factor(name: &str, levels: &[&str]) -> (String, Vec<String>) {
        (name.to_owned(), levels.iter().map(|level| (*level).to_owned()).collect())
    }

    #[test]
    fn alternatives_are_expanded_as_in_a_shell() {
        let (labels, factors) = parsed("btrfs:compress={no,zstd:1,zstd:3}");
        assert_eq!(labels, ["btrfs:compress=no", "btrfs:compress=zstd:1", "btrfs:compress=zstd:3"]);
        assert_eq!(factors, [factor("compress", &["compress=no", "compress=zstd:1", "compress=zstd:3"])]);
    }

    #[test]
    fn an_empty_alternative_leaves_the_option_out() {
        let (labels, factors) = parsed("ext4:{,noatime} -O {,^}has_journal");
        let wanted = [
            "ext4 -O has_journal", "ext4 -O ^has_journal", "ext4:noatime -O has_journal",
            "ext4:noatime -O ^has_journal",
        ];
        assert_eq!(labels, wanted);
        let journal = factor("-O has_journal/-O ^has_journal", &["-O has_journal", "-O ^has_journal"]);
        assert_eq!(factors, [factor("noatime", &["without", "noatime"]), journal]);
        assert_eq!(parsed("ext4:{noatime,},{,commit=30}").0[1..], ["ext4:noatime,commit=30", "ext4", "ext4:commit=30"]);
        assert_eq!(parsed("ext4{, -m 0}").0, ["ext4", "ext4 -m 0"]);
        let (labels, factors) = parsed("ext4@{,luks},{,linux-6.12}:noatime");
        let wanted = ["ext4", "ext4@linux-6.12", "ext4@luks", "ext4@luks,linux-6.12"];
        assert_eq!(labels, wanted.map(|it| format!("{it}:noatime")));
        assert_eq!(factors[0], factor("luks", &["without", "luks"]));
        assert_eq!(parsed("ext4@luks{,+lvm} -m 0").0, ["ext4@luks -m 0", "ext4@luks+lvm -m 0"]);
        assert_eq!(parsed("ext4{,@luks}").0, ["ext4", "ext4@luks"]);
    }

    #[test]
    fn a_factor_is_named_after_its_option() {
        let named = |argument: &str| parsed(argument).1.remove(0);
        assert_eq!(
            named("btrfs:noatime,compress=zstd:{1,3}"),
            factor("compress", &["compress=zstd:1", "compress=zstd:3"])
        );
        assert_eq!(named("xfs -m reflink={0,1} -i size=512").0, "-m reflink");
        assert_eq!(named("ext4 -m 1 -O a,{,^}b,c").1, ["-O b", "-O ^b"]);
        assert_eq!(named("ext4:{noatime,commit=30}").0, "noatime/commit=30");
    }

    #[test]
    fn kinds_are_a_factor_too() {
        let (labels, factors) = parsed("{ext4,xfs}:{noatime,relatime}");
        assert_eq!(labels.len(), 4);
        assert_eq!(factors[0], factor("ext4/xfs", &["ext4", "xfs"]));
    }

    #[test]
    fn text_without_a_matrix_is_refused() {
        let refused = |argument: &str| Matrix::parse(argument).expect_err(argument).to_string();
        assert!(refused("ext4:noatime").contains("no alternatives"));
        for unbalanced in ["ext4:{a,b", "ext4:a,b}", "ext4:{a,{b,c}}"] {
            assert!(refused(unbalanced).contains("counterpart"), "{unbalanced}");
        }
        assert!(refused("ext4:{noatime}").contains("`{noatime}`") && refused("ext4:{a,a}").contains("different"));
        assert!(refused("x=ext4:{a,b}").contains("label"));
        assert!(refused("ext4:{1,2,3,4,5},{1,2,3,4,5},{1,2,3}").contains("75 contenders"));
        assert!(refused(":{a,b}").contains("no file-system kind"));
    }
}
