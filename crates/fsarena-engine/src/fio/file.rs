//! fio's job files: sections of options. The options of `[global]` are merged into each section. Sizes and times are
//! parsed as fio does.

use std::path::{Path, PathBuf};

use fsarena_model::Nanos;

use super::FioError;

/// Options that have two names. The second name is used here.
const ALIASES: &[(&str, &str)] = &[
    ("readwrite", "rw"),
    ("blocksize", "bs"),
    ("blocksize_range", "bsrange"),
    ("blockalign", "ba"),
    ("blocksize_unaligned", "bs_unaligned"),
    ("nr_files", "nrfiles"),
    ("io_limit", "io_size"),
    ("timeout", "runtime"),
    ("wait_for_previous", "stonewall"),
    ("iomem", "mem"),
    ("start_delay", "startdelay"),
];

fn first_name(key: &str) -> String {
    ALIASES.iter().find(|(other, _)| *other == key).map_or(key, |(_, first)| first).to_owned()
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobFile {
    /// Its name in messages.
    pub name: String,
    pub sections: Vec<JobSection>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobSection {
    /// The text between the brackets.
    pub name: String,
    /// Line number of the section, from 1.
    pub line: usize,
    /// Its options, those of `[global]` first. The last of equal options counts.
    pub options: Vec<JobOption>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobOption {
    /// Its first name, if fio knows several.
    pub key: String,
    pub value: Option<String>,
    /// Line number, from 1.
    pub line: usize,
}

/// The error of a line of `file`.
pub fn refusal(file: &str, line: usize, what: String, hint: &str) -> FioError {
    FioError::Line { file: file.to_owned(), line, what, hint: hint.to_owned() }
}

struct JobFileReader<'a> {
    variable: &'a dyn Fn(&str) -> Option<String>,
    /// The folder of the job file, in which included files are; `None` if none may be included.
    folder: Option<&'a Path>,
    globals: Vec<JobOption>,
    sections: Vec<JobSection>,
    /// Whether options belong to `[global]`, and not to the last section.
    is_global: bool,
    problems: Vec<FioError>,
    /// The files that are being read.
    open: Vec<PathBuf>,
}

impl JobFileReader<'_> {
    /// Reads the lines of the file `name`. What is included has the `line` of the `include` in the outermost file.
    fn read(&mut self, name: &str, text: &str, line: Option<usize>) {
        for (number, text) in (1..).zip(text.lines()) {
            if let Err((what, hint)) = self.read_line(text, line.unwrap_or(number)) {
                self.problems.push(refusal(name, number, what, hint));
            }
        }
    }

    /// Reads a line as fio does: a comment begins at `;` or `#`, `${…}` is replaced.
    fn read_line(&mut self, text: &str, line: usize) -> Result<(), Mismatch> {
        let text = text.split([';', '#']).next().unwrap_or_default().trim();
        if text.is_empty() {
            return Ok(());
        }
        if let Some(rest) = text.strip_prefix('[') {
            let name = rest.split_once(']').map(|(name, _)| name.trim()).filter(|name| !name.is_empty());
            let name = name.ok_or_else(|| (format!("`{text}` is not a section"), "a section is [name]"))?;
            self.is_global = name == "global";
            if !self.is_global {
                self.sections.push(JobSection { name: name.to_owned(), line, options: self.globals.clone() });
            }
            return Ok(());
        }
        if let Some(name) = text.strip_prefix("include").filter(|rest| rest.starts_with(char::is_whitespace)) {
            return self.include(name.trim(), line);
        }
        let (key, value) = text.split_once('=').map_or((text, None), |(key, value)| (key.trim(), Some(value.trim())));
        if key.is_empty() || !key.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-".contains(letter)) {
            return Err((format!("`{key}` is not the name of an option"), "an option is name or name=value"));
        }
        if key.contains(|letter: char| letter.is_ascii_uppercase()) {
            let small = key.to_ascii_lowercase();
            return Err((format!("`{key}` is not an option of fio, `{small}` may be"), "options have small letters"));
        }
        let value = value.map(|value| expand(value, self.variable)).transpose()?;
        if key.len() + value.as_ref().map_or(0, String::len) > LONGEST {
            return Err((format!("the value of `{key}` is too long"), "at most 1000 letters"));
        }
        let options = match self.sections.last_mut() {
            _ if self.is_global => &mut self.globals,
            Some(section) => &mut section.options,
            None => return Err(("an option before the first section".to_owned(), "begin with [global]")),
        };
        options.push(JobOption { key: first_name(key), value, line });
        Ok(())
    }

    /// Reads a file whose name is relative to the folder of the job file.
    fn include(&mut self, name: &str, line: usize) -> Result<(), Mismatch> {
        const HINT: &str = "name a file in the folder of the job file, relative to that";
        let Some(folder) = self.folder else {
            return Err((format!("`include {name}` is not followed here"), "put the other file's lines here"));
        };
        let found = folder.join(name).canonicalize();
        let found = found.map_err(|error| (format!("`include {name}`: {error}"), HINT))?;
        if !folder.canonicalize().is_ok_and(|folder| found.starts_with(folder)) {
            return Err((format!("`include {name}` leads out of the folder of the job file"), HINT));
        }
        if self.open.contains(&found) {
            return Err((format!("`include {name}`: the file includes itself"), "leave this line out"));
        }
        let text = std::fs::read_to_string(&found).map_err(|error| (format!("`include {name}`: {error}"), HINT))?;
        self.open.push(found.clone());
        self.read(&found.display().to_string(), &text, Some(line));
        self.open.pop();
        Ok(())
    }
}

impl JobFile {
    /// Parses `text`. `name` is its name in messages. `variable` returns the value of `${…}`.
    ///
    /// # Errors
    /// All malformed lines.
    pub fn parse(name: &str, text: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<Self, FioError> {
        Self::of(name, text, None, variable)
    }

    /// Reads the file at `path`, and those in its folder that it includes.
    ///
    /// # Errors
    /// If a file cannot be read; all malformed lines.
    pub fn read(path: &Path, variable: &dyn Fn(&str) -> Option<String>) -> Result<Self, FioError> {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|source| FioError::Read { file: name.clone(), source })?;
        // Editors of other systems begin a file with a byte-order mark.
        let text = text.trim_start_matches('\u{feff}');
        Self::of(&name, text, Some(path), variable)
    }

    fn of(
        name: &str,
        text: &str,
        path: Option<&Path>,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, FioError> {
        // A script with fio's command line: each of its lines would be refused.
        if let Some(index) = text.lines().position(|line| line.trim_start().starts_with("fio -")) {
            let what = "this is a command line of fio, and not a job file".to_owned();
            return Err(refusal(name, index + 1, what, "--fio 'fio …', with the command instead of its file"));
        }
        let folder = path.and_then(Path::parent);
        let folder = folder.map(|folder| if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
        let open = path.and_then(|path| path.canonicalize().ok()).into_iter().collect();
        let (globals, sections, problems) = (Vec::new(), Vec::new(), Vec::new());
        let mut reader = JobFileReader { variable, folder, globals, sections, is_global: false, problems, open };
        reader.read(name, text, None);
        if reader.sections.is_empty() && reader.problems.is_empty() {
            let hint = "a job is a section: [name], and options such as rw=randread below it";
            reader.problems.push(refusal(name, 1, "there is no job in it".to_owned(), hint));
        }
        FioError::all(reader.problems)?;
        Ok(Self { name: name.to_owned(), sections: reader.sections })
    }

    /// Line number of the first use of an option.
    pub fn line_of(&self, key: &str) -> Option<usize> {
        let mut entries = self.sections.iter().flat_map(|section| &section.options);
        entries.find(|entry| entry.key == first_name(key)).map(|entry| entry.line)
    }

    pub fn refuse(&self, line: usize, what: String, hint: &str) -> FioError {
        refusal(&self.name, line, what, hint)
    }

    /// The text for fio: each section with all its options except those in `without`, followed by `more`.
    pub fn text(&self, without: &[&str], more: &[String]) -> String {
        let mut text = String::new();
        for section in &self.sections {
            text += &format!("[{}]\n", section.name);
            for entry in section.options.iter().filter(|entry| !without.contains(&entry.key.as_str())) {
                match &entry.value {
                    Some(value) => text += &format!("{}={value}\n", entry.key),
                    None => text += &format!("{}\n", entry.key),
                }
            }
            more.iter().for_each(|line| text += &format!("{line}\n"));
        }
        text
    }
}

impl JobSection {
    /// The last entry of an option.
    pub fn entry(&self, key: &str) -> Option<&JobOption> {
        self.options.iter().rev().find(|entry| entry.key == key)
    }

    pub fn value(&self, key: &str) -> Option<&str> {
        self.entry(key).and_then(|entry| entry.value.as_deref())
    }

    /// Whether a boolean option is set. An option without a value is set.
    pub fn is_set(&self, key: &str) -> bool {
        self.entry(key).is_some_and(|entry| entry.value.as_deref().is_none_or(|value| value.trim() != "0"))
    }

    /// Whether the page cache is bypassed.
    pub fn is_direct(&self) -> bool {
        let denied = self.value("buffered") == Some("0");
        self.is_set("direct") || denied
    }
}

/// The problem, and how to solve it.
type Mismatch = (String, &'static str);

/// Maximum length of an option, bytes. fio 3.33 reads the part of a line beyond about 8190 bytes as another line (tried
/// out).
const LONGEST: usize = 1000;

fn expand(value: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<String, Mismatch> {
    let mut left = value;
    let mut done = String::new();
    while let Some((before, after)) = left.split_once("${") {
        let (name, rest) = after.split_once('}').ok_or((format!("`{value}`: `${{` without `}}`"), "${NAME}"))?;
        let hint = "set it: NAME=value fsarena …, without signs that mean something to fio";
        let text = variable(name).ok_or((format!("the variable `{name}` is not set"), hint))?;
        if text.contains(['\n', '\r', ';', '#', '$', '[', ']']) {
            return Err((format!("the variable `{name}` has a sign in it that a value cannot have"), hint));
        }
        done += &format!("{before}{text}");
        left = rest;
    }
    Ok(done + left)
}

/// Parses a size such as `4k`, `1MiB`, `0x1000`. `k`, `kb` and `ki` are 1024, and `KiB` is 1000: that is what fio makes of
/// them without `kb_base`. `None` for anything else, such as `50%`.
pub fn size(text: &str) -> Option<u64> {
    let text = text.trim().to_ascii_lowercase();
    if let Some(digits) = text.strip_prefix("0x") {
        return u64::from_str_radix(digits, 16).ok();
    }
    let (number, unit) = split(&text);
    let (base, unit) = match unit.strip_suffix("ib") {
        Some(unit) => (1000_u64, unit),
        None => (1024, unit.strip_suffix(['b', 'i']).unwrap_or(unit)),
    };
    let power = ["", "k", "m", "g", "t", "p"].iter().position(|letter| *letter == unit)?;
    number.parse::<u64>().ok()?.checked_mul(base.checked_pow(power as u32)?)
}

/// The sizes that a list such as `4k`, `4k-8k,64k` or `4k/90:64k/10` has for each direction.
pub fn sizes(list: &str) -> impl Iterator<Item = Vec<u64>> {
    let of = |own: &str| own.split([':', '-']).filter_map(|part| size(part.split('/').next()?)).collect();
    list.split(',').map(of)
}

/// Parses a time such as `30`, `30s`, `500ms`, `2m`. A number without a unit is seconds.
pub fn time(text: &str) -> Option<Nanos> {
    time_in(text, "s")
}

/// Parses a time, in `usual` if it has no unit. One that is beyond all numbers is the longest.
pub fn time_in(text: &str, usual: &str) -> Option<Nanos> {
    let text = text.trim().to_ascii_lowercase();
    let (number, unit) = split(&text);
    let nanos: u64 = match if unit.is_empty() { usual } else { unit } {
        "us" | "usec" => 1_000,
        "ms" | "msec" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        "d" => 86_400_000_000_000,
        _ => return None,
    };
    (!number.is_empty()).then(|| Nanos(number.parse().unwrap_or(u64::MAX).saturating_mul(nanos)))
}

fn split(text: &str) -> (&str, &str) {
    let end = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    (&text[..end], text[end..].trim())
}

#[cfg(test)]
mod tests;
