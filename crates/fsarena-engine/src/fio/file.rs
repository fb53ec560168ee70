//! fio's job files: sections of options. The options of `[global]` are merged into each section.

mod text;

use super::FioError;

/// A job file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobFile {
    /// Its name in messages.
    pub name: String,
    /// Its jobs, in order.
    pub sections: Vec<Section>,
}

/// One job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The text between the brackets.
    pub name: String,
    /// Line number of the section, from 1.
    pub line: usize,
    /// Its options, those of `[global]` first. The last of equal options counts.
    pub options: Vec<Entry>,
}

/// One option.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its first name, if fio knows several.
    pub key: String,
    /// The text after the `=`.
    pub value: Option<String>,
    /// Line number, from 1.
    pub line: usize,
}

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

/// The first name of an option.
fn first_name(key: &str) -> String {
    ALIASES.iter().find(|(other, _)| *other == key).map_or(key, |(_, first)| first).to_owned()
}

fn refusal(file: &str, line: usize, what: String, hint: &str) -> FioError {
    FioError::Line { file: file.to_owned(), line, what, hint: hint.to_owned() }
}

/// The content that was read so far.
#[derive(Default)]
struct Reader {
    globals: Vec<Entry>,
    sections: Vec<Section>,
    place: Place,
}

/// The place to which an option belongs.
#[derive(Default)]
enum Place {
    #[default]
    Nowhere,
    Global,
    Section,
}

impl Reader {
    fn take(&mut self, line: text::Line, number: usize) -> Result<(), text::Mismatch> {
        match line {
            text::Line::Nothing => {}
            text::Line::Section(name) if name == "global" => self.place = Place::Global,
            text::Line::Section(name) => {
                self.sections.push(Section { name, line: number, options: self.globals.clone() });
                self.place = Place::Section;
            }
            text::Line::Option(entry) => match (&self.place, self.sections.last_mut()) {
                (Place::Global, _) => self.globals.push(entry),
                (Place::Section, Some(section)) => section.options.push(entry),
                _ => return Err(("an option before the first section".to_owned(), "begin with [global]")),
            },
        }
        Ok(())
    }
}

impl JobFile {
    /// Parses `text`. `name` is its name in messages. `variable` returns the value of `${…}`.
    ///
    /// # Errors
    /// [`FioError::Line`].
    pub fn parse(name: &str, text: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<Self, FioError> {
        let mut reader = Reader::default();
        for (number, line) in text.lines().enumerate() {
            let understood = text::line(line, number + 1, variable).and_then(|line| reader.take(line, number + 1));
            understood.map_err(|(what, hint)| refusal(name, number + 1, what, hint))?;
        }
        if reader.sections.is_empty() {
            let hint = "a job is a section: [name], and options such as rw=randread below it";
            return Err(refusal(name, 1, "there is no job in it".to_owned(), hint));
        }
        Ok(Self { name: name.to_owned(), sections: reader.sections })
    }

    /// Line number of the first use of an option.
    pub fn line_of(&self, key: &str) -> Option<usize> {
        let mut entries = self.sections.iter().flat_map(|section| &section.options);
        entries.find(|entry| entry.key == first_name(key)).map(|entry| entry.line)
    }

    /// An error at `line`.
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

impl Section {
    /// The last entry of an option.
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.options.iter().rev().find(|entry| entry.key == key)
    }

    /// The value of an option.
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

#[cfg(test)]
mod tests;
