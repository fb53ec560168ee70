//! `fsarena generate`: shell completions and the manual page.

use std::io;

use anyhow::Result;
use clap::{Args, CommandFactory, ValueEnum};
use clap_complete::env::Shells;
use clap_mangen::Man;

use crate::cli::{COMPLETE, CommandLine};

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

pub fn run(options: &Generate) -> Result<()> {
    let text = match options.what {
        Generated::Man => manual(CommandLine::command())?,
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
    page.render_extra_section(&mut text)?;
    Ok(text)
}
