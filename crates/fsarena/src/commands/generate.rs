//! `fsarena generate`: shell completions and the manual page.

use std::io;

use anyhow::Result;
use clap::{Args, ValueEnum};
use clap_complete::env::Shells;
use clap_mangen::Man;

use crate::cli::{COMPLETE, command};

#[derive(Debug, Args)]
pub struct Generate {
    /// What to print
    #[arg(value_name = "WHAT")]
    pub what: Generated,
}

/// What a package has besides the binary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Generated {
    /// Completions for bash.
    Bash,
    /// Completions for zsh.
    Zsh,
    /// Completions for fish.
    Fish,
    /// The manual page, for man(1).
    Man,
}

/// The end of the manual page, after the options. The exit codes are those of `exit.rs`.
const REST: &str = r#".SH EXIT STATUS
.TP
0
All is well. Undecided pairs are no failure.
.TP
1
fsarena gate: a regression holds.
.TP
2
The call was wrong, or what it names is not free.
.TP
3
Some of the work did not finish, or a check found a damaged file system; the rest is reported.
.TP
4
This machine cannot do it: rights, programs or room are missing.
.TP
130
A signal ended it; what was measured is kept.
.SH FILES
.TP
/var/lib/fsarena/store.sqlite
Root's runs; those of other users are in their data directory.
.TP
~/.config/fsarena/config.toml, /etc/fsarena/config.toml
Default values of options.
.SH SEE ALSO
.BR fio (1),
.BR mke2fs (8),
.BR mkfs.xfs (8),
.BR mkfs.btrfs (8)
"#;

pub fn run(options: &Generate) -> Result<()> {
    let text = match options.what {
        Generated::Man => manual(command())?,
        shell => completions(shell.to_possible_value().expect("none is skipped").get_name())?,
    };
    super::write(&text)
}

/// What registers fsarena in a shell, which then asks it for each completion.
fn completions(shell: &str) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    let shells = Shells::builtins();
    let completer = shells.completer(shell).expect("clap knows this shell");
    completer.write_registration(COMPLETE, "fsarena", "fsarena", "fsarena", &mut text)?;
    Ok(text)
}

/// One page for all commands; each command has a section.
fn manual(mut command: clap::Command) -> io::Result<Vec<u8>> {
    command.build();
    let mut text = Vec::new();
    let page = Man::new(command.clone());
    page.render_title(&mut text)?;
    page.render_name_section(&mut text)?;
    page.render_synopsis_section(&mut text)?;
    page.render_description_section(&mut text)?;
    page.render_options_section(&mut text)?;
    for subcommand in command.get_subcommands().filter(|subcommand| subcommand.get_name() != "help") {
        let title = format!("fsarena {}", subcommand.get_name());
        // Global options are listed once, at the beginning of the page.
        let own = subcommand.clone().mut_args(|argument| match argument.is_global_set() {
            true => argument.hide(true),
            false => argument,
        });
        let page = Man::new(own);
        let mut section = Vec::new();
        page.render_description_section(&mut section)?;
        page.render_options_section(&mut section)?;
        let section = String::from_utf8_lossy(&section).replace(".SH DESCRIPTION\n", "").replace(".SH OPTIONS\n", "");
        text.extend(format!(".SH \"{}\"\n{section}", title.to_uppercase()).bytes());
    }
    text.extend(REST.bytes());
    Ok(text)
}
