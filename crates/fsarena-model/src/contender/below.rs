//! What a file system lies on, as typed after the `@` of a contender: layers, a guest's kernel and its disk.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::guest::DiskMode;
use crate::joined;

/// A layer between a file system and its lane, such as an encrypted device or a logical volume, as typed.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct BlockLayer {
    /// Its name, such as `luks`.
    pub name: String,
    /// Its options, such as `sector=512`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
}

impl BlockLayer {
    /// `luks,sector=512+lvm`: layers as typed, the topmost first.
    pub fn stack(layers: &[Self]) -> String {
        joined(layers, "+")
    }
}

/// Prints `luks,sector=512`.
impl fmt::Display for BlockLayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        self.options.iter().try_for_each(|option| write!(f, ",{option}"))
    }
}

/// What follows an `@`, separated by commas.
#[derive(Default)]
pub struct Below {
    pub layers: Vec<BlockLayer>,
    pub kernel: Option<String>,
    pub disk: Option<DiskMode>,
}

impl Below {
    /// Reads it; fails with what is wrong.
    pub fn of(text: &str) -> Result<Self, String> {
        if text.is_empty() || text.ends_with([',', '+']) {
            let what = "after `@`, `,` or `+` a layer or a kernel is missing, as in `ext4@luks+lvm,linux-6.12`";
            return Err(what.to_owned());
        }
        let is_of_disk = |word: &&str| ["cache=", "format="].iter().any(|key| word.starts_with(key));
        let (disk, others): (Vec<&str>, Vec<&str>) = text.split(',').partition(is_of_disk);
        let (kernels, layers): (Vec<&str>, Vec<&str>) = others.into_iter().partition(|word| is_kernel(word));
        let kernel = match kernels.as_slice() {
            [] => None,
            [kernel] => Some((*kernel).to_owned()),
            _ => return Err("it names several kernels".to_owned()),
        };
        let disk = (!disk.is_empty()).then(|| disk.join(",").parse()).transpose()?;
        Ok(Self { layers: stack(&layers)?, kernel, disk })
    }
}

/// Whether a word names a kernel: a package, a version or a file.
fn is_kernel(word: &str) -> bool {
    word.starts_with("linux-") || word.contains('/') || word.ends_with(".deb")
}

/// The layers in words such as `luks`, `sector=512+lvm`: a word with a `=` is an option of the layer before it. Fails
/// with what is wrong.
fn stack(words: &[&str]) -> Result<Vec<BlockLayer>, String> {
    let mut layers: Vec<BlockLayer> = Vec::new();
    for word in words {
        for (place, piece) in word.split('+').enumerate() {
            match layers.last_mut().filter(|_| place == 0) {
                Some(layer) if piece.contains('=') => layer.options.push(piece.to_owned()),
                Some(BlockLayer { name, .. }) => {
                    return Err(format!(
                        "`{piece}` after `{name}` is neither an option, as in `{name},NAME=VALUE`, nor a further \
                         layer, as in `{name}+lvm`"
                    ));
                }
                None if piece.is_empty() || piece.contains('=') => {
                    return Err(format!("`{word}`: a layer's name is missing"));
                }
                None => layers.push(BlockLayer { name: piece.to_owned(), options: Vec::new() }),
            }
        }
    }
    Ok(layers)
}
