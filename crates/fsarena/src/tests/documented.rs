//! Every command line of the README and of docs is understood.

use std::fs;

use clap::CommandFactory;
use clap::error::ErrorKind;

use super::{files, root};
use crate::cli::CommandLine;

/// The lines of blocks of code, and what is between backquotes elsewhere, that begin with `program`.
fn lines(program: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for page in
        files(&root().join("docs"), "md").into_iter().chain([root().join("README.md"), root().join("CHANGELOG.md")])
    {
        let text = fs::read_to_string(page).expect("readable");
        for (number, block) in text.split("```").enumerate() {
            match number % 2 {
                0 => lines.extend(block.split('`').skip(1).step_by(2).map(|code| code.replace('\n', " "))),
                _ => lines.extend(block.lines().map(str::to_owned)),
            }
        }
    }
    let begins = |line: &String| line.split_whitespace().next() == Some(program);
    let without_remark = |line: String| line.split(" #").next().unwrap_or_default().to_owned();
    lines.into_iter().filter(begins).map(without_remark).collect()
}

#[test]
fn every_documented_command_line_is_understood() {
    // A form such as `fsarena resume [--rounds N]` is no command line.
    let lines: Vec<String> = lines("fsarena").into_iter().filter(|line| !line.contains('[')).collect();
    assert!(lines.len() > 50, "{}", lines.len());
    for line in lines.iter().filter(|line| line.split_whitespace().count() > 1) {
        // Of `native|fio` the first.
        let words = shlex::split(line).expect("quotes are closed").into_iter();
        let words = words.map(|word| word.split('|').next().unwrap_or_default().to_owned());
        match CommandLine::command().try_get_matches_from(words) {
            // The name of a command.
            Err(error) if error.kind() == ErrorKind::MissingRequiredArgument && !line.contains(" -") => {}
            Err(error) => panic!("{line}: {error}"),
            Ok(_) => {}
        }
    }
}

#[test]
fn every_example_of_help_is_understood() {
    let command = CommandLine::command();
    let help: Vec<String> =
        command.get_subcommands().filter_map(|it| it.get_after_help()).map(ToString::to_string).collect();
    let lines: Vec<&str> = help.iter().flat_map(|text| text.lines()).map(str::trim).collect();
    let examples = lines.iter().filter(|line| line.starts_with("fsarena "));
    assert!(examples.clone().count() > 40);
    for line in examples {
        let words = shlex::split(line.split(" |").next().expect("there is one")).expect("quotes are closed");
        command.clone().try_get_matches_from(words).unwrap_or_else(|error| panic!("{line}: {error}"));
    }
}

#[test]
fn every_documented_target_is_in_the_makefile() {
    let makefile = fs::read_to_string(root().join("Makefile")).expect("readable");
    let lines = lines("make");
    assert!(lines.len() > 10, "{}", lines.len());
    for line in lines {
        let target = line.split_whitespace().skip(1).find(|word| !word.contains('='));
        let Some(target) = target.filter(|target| !target.ends_with('…')) else { continue };
        assert!(makefile.lines().any(|rule| rule.starts_with(&format!("{target}:"))), "{line}");
    }
}
