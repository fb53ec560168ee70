//! The location of the store, and the style of output.

use std::io::IsTerminal;
use std::path::PathBuf;

use anyhow::{Result, bail};
use fsarena_place::{Refusal, folders::folder};
use fsarena_store::Store;

use crate::cli::{Color, Global};

/// Root's store, independent of `HOME`: under sudo, `HOME` may be a folder of another user.
const STORE_OF_ROOT: &str = "/var/lib/fsarena/store.sqlite";

/// Opens the store that the options name, or the user's, for reading: writes nothing, and needs no right to write.
pub fn store_to_read(global: &Global) -> Result<Store> {
    Ok(Store::read(&store_path(global.store.clone())?)?)
}

/// The path of the store, whether it exists or not; `named` is the one that the options name.
pub fn store_path(named: Option<PathBuf>) -> Result<PathBuf> {
    match named {
        Some(path) if path.starts_with("~") => {
            let text = format!("the store `{}`: the shell has not replaced the `~`", path.display());
            bail!(Refusal::wrong_use(text, "it does so only where a word begins: --store ~/store.sqlite, or use $HOME"))
        }
        Some(path) => Ok(path),
        None if rustix::process::geteuid().is_root() => Ok(STORE_OF_ROOT.into()),
        None => {
            let text = "neither XDG_DATA_HOME nor HOME is set: there is no place for the store";
            let data = folder("XDG_DATA_HOME", ".local/share");
            Ok(data.ok_or_else(|| Refusal::machine(text, "name one with --store"))?.join("fsarena/store.sqlite"))
        }
    }
}

/// The style of text on stdout.
pub fn style(global: &Global) -> fsarena_report::TerminalStyle {
    let color = match global.color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => std::io::stdout().is_terminal() && !is_set("NO_COLOR"),
    };
    fsarena_report::TerminalStyle { color, width: width().unwrap_or(fsarena_report::PLAIN.width) }
}

/// Whether a variable has a value (<https://no-color.org>).
fn is_set(variable: &str) -> bool {
    std::env::var_os(variable).is_some_and(|value| !value.is_empty())
}

/// Columns of the terminal, or else the number that the variable COLUMNS has, at least 40.
pub fn width() -> Option<usize> {
    let of_terminal = rustix::termios::tcgetwinsize(std::io::stdout()).ok().map(|size| usize::from(size.ws_col));
    let named = || std::env::var("COLUMNS").ok()?.parse().ok();
    of_terminal.filter(|columns| *columns > 0).or_else(named).map(|columns| columns.max(NARROWEST))
}

/// Fewest columns for which reports are laid out.
const NARROWEST: usize = 40;
