//! What shared file systems guarantee to the clients that have them mounted, and what the user states about them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::text::named;
use crate::{Durability, Label};

/// When a client sees what other clients have changed. On clients, contenders of different classes are never ranked
/// together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Coherence {
    /// At once: it caches nothing, or what it has cached is recalled before others change it (leases).
    Immediate,
    /// When it opens a file that the other client has closed.
    CloseToOpen,
    /// When what it has cached expires.
    Expiring,
}

/// What the mount of a shared file system says about its guarantees, as far as a client can see it. Texts are for
/// readers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sharing {
    /// When a client sees the changes of others; `None` if the mount does not show it.
    pub coherence: Option<Coherence>,
    /// What a completed fsync has reached.
    pub fsync: String,
    /// How long attributes of files are cached.
    pub attributes: String,
    /// Where locks hold.
    pub locks: String,
    /// What happens to calls if the server does not answer.
    pub silent_server: String,
}

/// What contenders have in common that may be ranked with each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Class {
    /// What a completed fsync guarantees.
    pub durability: Durability,
    /// When clients see the changes of others; `None` on a single machine, and if it is not known.
    pub coherence: Option<Coherence>,
}

/// A guarantee that the user states, since it is up to a server, where clients cannot see it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stated {
    /// The contender's label.
    pub label: Label,
    /// What it guarantees.
    pub guarantee: StatedGuarantee,
}

/// A guarantee by which contenders are kept apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum StatedGuarantee {
    /// What a completed fsync guarantees.
    Durability(Durability),
    /// When clients see the changes of others.
    Coherence(Coherence),
}

impl fmt::Display for Stated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.guarantee {
            StatedGuarantee::Durability(class) => write!(f, "{}={class}", self.label),
            StatedGuarantee::Coherence(class) => write!(f, "{}={class}", self.label),
        }
    }
}

/// Parses `LABEL=unflushed`.
impl FromStr for Stated {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            "a label, `=`, and flushed, unflushed, unwritten, volatile, immediate, close-to-open or expiring, as in \
             nfs-async=unflushed"
                .to_owned()
        };
        let (label, class) = text.rsplit_once('=').ok_or_else(wrong)?;
        Ok(Self { label: Label::from(label), guarantee: named(class).map_err(|_| wrong())? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stated_guarantee_is_a_label_and_a_class() {
        for text in ["nfs-async=unflushed", "dir:/mnt/a=b=close-to-open", "a=flushed", "a=volatile", "a=expiring"] {
            let stated: Stated = text.parse().expect("well spelled");
            assert_eq!(stated.to_string(), text);
            let json = serde_json::to_string(&stated).expect("serializable");
            assert_eq!(serde_json::from_str::<Stated>(&json).expect("readable"), stated);
        }
        for wrong in ["unflushed", "a=", "a=sync", "a=Flushed"] {
            assert!(wrong.parse::<Stated>().is_err(), "{wrong}");
        }
    }
}
