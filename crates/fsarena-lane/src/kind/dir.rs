//! An existing directory on any mount, without mkfs and without root.

use fsarena_model::Contender;

use super::{Ground, Kind};

/// `dir:PATH`.
pub struct Directory;

impl Kind for Directory {
    fn name(&self) -> &'static str {
        Contender::DIRECTORY
    }

    fn about(&self) -> &'static str {
        "an existing directory, as in dir:/mnt/share; needs no root"
    }

    fn ground(&self) -> Ground {
        Ground::Directory
    }
}
