//! Names of workloads. A name becomes the name of a directory, so it is a checked type.

use std::cmp::Reverse;
use std::fmt;
use std::ops::Deref;
use std::str::FromStr;

/// The name of a workload, and of its directory on each contender: 1 to 200 ASCII letters, digits and `.`, `_`, `-`,
/// `+`, `@`, `%`, beginning with a letter or a digit. It is therefore always one component of a path, and never `.` or
/// `..`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(String);

/// The longest name, in characters.
const LONGEST: usize = 200;

/// A text is not a [`Name`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the name {text:?} is refused: a name has at most {LONGEST} ASCII letters, digits and `._-+@%`, \
         and begins with a letter or a digit"
)]
pub struct BadName {
    /// The text.
    text: String,
}

impl Name {
    /// A name made of any text: each character that a name cannot have becomes `-`, and a text that is too long is cut
    /// off.
    pub fn from_text(text: &str) -> Self {
        let plain: String = text.chars().map(|c| if is_good(c) { c } else { '-' }).take(LONGEST).collect();
        match plain.trim_start_matches(|c: char| !c.is_ascii_alphanumeric()) {
            "" => Self("unnamed".to_owned()),
            rest => Self(rest.to_owned()),
        }
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// This name with `@` and `suffix` at its end, such as `@cold`.
    pub fn variant(&self, suffix: impl fmt::Display) -> Self {
        Self::from_text(&format!("{}@{suffix}", self.0))
    }
}

fn is_good(c: char) -> bool {
    c.is_ascii_alphanumeric() || "._-+@%".contains(c)
}

impl FromStr for Name {
    type Err = BadName;

    fn from_str(text: &str) -> Result<Self, BadName> {
        let begins_well = text.starts_with(|c: char| c.is_ascii_alphanumeric());
        match begins_well && text.len() <= LONGEST && text.chars().all(is_good) {
            true => Ok(Self(text.to_owned())),
            false => Err(BadName { text: text.to_owned() }),
        }
    }
}

impl From<&Name> for String {
    fn from(name: &Name) -> Self {
        name.0.clone()
    }
}

impl Deref for Name {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl AsRef<std::path::Path> for Name {
    fn as_ref(&self) -> &std::path::Path {
        self.0.as_ref()
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl<T: AsRef<str> + ?Sized> PartialEq<T> for Name {
    fn eq(&self, other: &T) -> bool {
        self.0 == other.as_ref()
    }
}

impl PartialEq<Name> for String {
    fn eq(&self, other: &Name) -> bool {
        *self == other.0
    }
}

impl PartialEq<Name> for str {
    fn eq(&self, other: &Name) -> bool {
        self == other.0
    }
}

impl PartialEq<Name> for &str {
    fn eq(&self, other: &Name) -> bool {
        *self == other.0
    }
}

/// The one of `names` that `typed` was probably meant to be: at most a third of its letters differ, in either case. Of
/// several, the last: a newer name comes after an older one.
pub fn nearest<'a>(typed: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = typed.to_lowercase();
    let distance = |name: &str| strsim::osa_distance(&lower, &name.to_lowercase());
    let most = (typed.chars().count() / 3).max(1);
    names.into_iter().filter(|name| distance(name) <= most).max_by_key(|name| Reverse(distance(name)))
}

/// A hint that asks for the nearest of `names`, if there is one, before `otherwise`.
pub fn did_you_mean<'a>(typed: &str, names: impl IntoIterator<Item = &'a str>, otherwise: &str) -> String {
    nearest(typed, names).map_or(otherwise.to_owned(), |name| format!("did you mean `{name}`? {otherwise}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_makes_a_name() {
        assert_eq!(Name::from_text("rand read"), "rand-read");
        assert_eq!(Name::from_text("../etc"), "etc");
        assert_eq!(Name::from_text("-.-"), "unnamed");
    }

    #[test]
    fn variants_are_names() {
        let name: Name = "stat-tree".parse().expect("a name");
        assert_eq!(name.variant("50%"), "stat-tree@50%");
        let odd = name.variant(format!("/../{}", "9".repeat(300)));
        assert_eq!(odd.parse::<Name>().expect("a name"), odd);
    }

    #[test]
    fn a_name_is_one_component_of_a_path() {
        for good in ["stat-tree", "a", "randread-4k@50%", "write_1.5M@cold", "7zip"] {
            assert_eq!(good.parse::<Name>().expect("a name"), good);
        }
        let long = "a".repeat(201);
        for bad in
            ["", ".", "..", "...", ".hidden", "/tmp/victim", "a/b", "../a", "a b", "a\0", "é", "a\u{202e}", "-a", &long]
        {
            bad.parse::<Name>().expect_err(bad);
            serde_json::from_value::<Name>(bad.into()).expect_err(bad);
        }
    }

    #[test]
    fn the_nearest_name_is_suggested_if_it_is_near() {
        let names = ["quick", "ext3", "ext4", "xfs", "create-fsync"];
        for (typed, meant) in [("qick", "quick"), ("ext5", "ext4"), ("xsf", "xfs"), ("CREATE-FYNC", "create-fsync")] {
            assert_eq!(nearest(typed, names), Some(meant), "{typed}");
        }
        assert_eq!(nearest("zfs-on-linux", names), None);
        assert_eq!(did_you_mean("qick", names, "list them"), "did you mean `quick`? list them");
    }
}
