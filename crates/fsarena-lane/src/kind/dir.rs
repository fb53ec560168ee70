//! An existing directory on any mount, without mkfs and without root.

use fsarena_model::Contender;

use super::{Ground, Kind};

pub static DIRECTORY: Kind = Kind {
    ground: Ground::Directory,
    ..Kind::new(Contender::DIRECTORY, "an existing directory, as in dir:/mnt/share; needs no root")
};
