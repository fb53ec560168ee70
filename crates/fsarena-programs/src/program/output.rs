//! Figures in the output of a program: numbers that regular expressions find, and times between its messages.

#[cfg(test)]
mod tests;

use fsarena_engine::parameters::or;
use fsarena_engine::{EngineError, Operation, RunStats};
use fsarena_model::{Nanos, Probe, intern};
use regex_lite::{Captures, Match, Regex, RegexBuilder};
use serde::{Deserialize, Deserializer};

/// Maximum number of figures of one capture.
const MOST_LABELS: usize = 100;

/// What is read from the output of a program.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Output {
    captures: Vec<Capture>,
    /// Times between messages of the program, in the order in which it prints them.
    spans: Vec<MessageSpan>,
    /// Number of connections over which the `commits` were acknowledged. Commits of several connections may share a
    /// flush.
    #[serde(default = "or::<_, 1>")]
    connections: u64,
}

/// A number in the output of a program.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Capture {
    /// Its first group, or the group `value`, is the number. `^` and `$` match at lines. If it has a group `label`,
    /// each match is a figure of its own: `{label}` in `name` stands for the group in lower case.
    #[serde(deserialize_with = "pattern")]
    pattern: Regex,
    /// Name of the figure in the report.
    name: Option<String>,
    #[serde(default)]
    unit: String,
    #[serde(rename = "as")]
    target: Option<NumberTarget>,
    #[serde(default)]
    take: Take,
    /// Factor to the number's unit for `as`: operations, bytes, seconds, commits.
    #[serde(default = "or::<_, 1>")]
    scale: f64,
    /// A variable, `N`, or a number that the number must be equal to.
    equals: Option<String>,
    #[serde(default)]
    optional: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NumberTarget {
    Operations,
    /// Bytes that they moved.
    Bytes,
    /// Bytes that they moved per second of the timed time.
    BytesPerSecond,
    /// The timed time, instead of that from the start to the end of the script.
    Seconds,
    /// Transactions that were acknowledged as durable.
    Commits,
    /// The workload's figure, with `measure = "printed"`.
    Figure,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Take {
    First,
    #[default]
    Last,
    Sum,
}

/// The time between two messages.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct MessageSpan {
    from: String,
    to: String,
    /// Name of the figure in the report, in seconds.
    name: Option<String>,
    /// `seconds`: this is the timed time.
    #[serde(rename = "as")]
    target: Option<NumberTarget>,
}

fn pattern<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Regex, D::Error> {
    let text = String::deserialize(deserializer)?;
    RegexBuilder::new(&text).multi_line(true).build().map_err(serde::de::Error::custom)
}

/// Refuses a text that is no pattern of a number: a regular expression with a group.
///
/// # Errors
/// In words.
pub fn require_number(pattern: &str) -> Result<(), String> {
    let pattern = RegexBuilder::new(pattern).multi_line(true).build();
    has_group(&pattern.map_err(|error| format!("no regular expression: {error}"))?)
}

fn has_group(pattern: &Regex) -> Result<(), String> {
    match pattern.captures_len() < 2 {
        true => Err(format!("the pattern `{pattern}` has no group for its number")),
        false => Ok(()),
    }
}

/// What a run of a program is, as far as it is known without its output.
#[derive(Debug, Clone, Copy)]
pub struct KnownRun {
    /// Operations; 0 if they are in the output.
    pub operations: u64,
    /// Bytes; 0 if they are not known, or in the output.
    pub bytes: u64,
    /// Time from the start to the end of the script.
    pub elapsed: Nanos,
}

impl Output {
    pub fn is_empty(&self) -> bool {
        self.captures.is_empty() && self.spans.is_empty()
    }

    /// Whether a number of the output counts `target`.
    pub fn has(&self, target: NumberTarget) -> bool {
        let captured = self.captures.iter().map(|capture| capture.target);
        captured.chain(self.spans.iter().map(|span| span.target)).any(|one| one == Some(target))
    }

    /// Whether the time of messages matters.
    pub fn is_heard(&self) -> bool {
        !self.spans.is_empty()
    }

    /// What is wrong with it. `is_known` is whether a name stands for a number.
    pub fn mistake(&self, is_known: impl Fn(&str) -> bool) -> Option<String> {
        let captured = self.captures.iter().map(|capture| &capture.name);
        let mut names: Vec<&String> = captured.chain(self.spans.iter().map(|span| &span.name)).flatten().collect();
        names.sort();
        if let Some([name, _]) = names.array_windows().find(|[one, other]| one == other) {
            return Some(format!("two figures of the output have the name `{name}`"));
        }
        for capture in &self.captures {
            let pattern = capture.pattern.as_str();
            if let Err(mistake) = has_group(&capture.pattern) {
                return Some(mistake);
            }
            if capture.name.is_none() && capture.target.is_none() && capture.equals.is_none() {
                return Some(format!("the pattern `{pattern}` needs a `name`, an `as` or an `equals`"));
            }
            if !(capture.scale > 0.0 && capture.scale.is_finite()) {
                return Some(format!("`scale` of the pattern `{pattern}` is a number above 0"));
            }
            if let Some(name) = capture.equals.as_deref().filter(|name| !is_known(name)) {
                return Some(format!("`equals = \"{name}\"` is neither a variable nor a number"));
            }
        }
        let is_wrong = |span: &MessageSpan| span.from.is_empty() || span.to.is_empty();
        let is_other = |span: &MessageSpan| span.target.is_some_and(|target| target != NumberTarget::Seconds);
        if self.spans.iter().any(is_wrong) {
            Some("`from` and `to` of `spans` are not empty".to_owned())
        } else if self.spans.iter().any(is_other) {
            Some("`as` of `spans` is `seconds`".to_owned())
        } else {
            None
        }
    }

    /// Adds a run to `stats`. `text` is the output of `program`, `heard` the times of its messages. `number` is the
    /// number that a name in `equals` stands for.
    ///
    /// # Errors
    /// If a number or a time is missing, or is not what it must be equal to.
    pub fn count(
        &self,
        program: &'static str,
        text: &str,
        heard: &Heard,
        known: KnownRun,
        number: impl Fn(&str) -> Option<f64>,
        stats: &mut RunStats,
    ) -> Result<(), EngineError> {
        let wrong = EngineError::program(program);
        let KnownRun { mut operations, mut bytes, mut elapsed } = known;
        let (mut rate, mut commits) = (None, None);
        for (span, time) in self.spans.iter().zip(heard.times(self)) {
            if let (Some(name), Some(time)) = (&span.name, time) {
                stats.reported.push((Probe::of_program(intern(name), "s"), time.as_seconds()));
            }
            if span.target.is_some() {
                elapsed = time.ok_or_else(|| wrong(span.missing()))?;
            }
        }
        for capture in &self.captures {
            let figures = capture.figures(text);
            if figures.is_empty() && !capture.optional {
                return Err(wrong(match capture.pattern.captures(text).as_ref().and_then(value) {
                    Some(found) => unusable(capture, found.as_str()),
                    None => format!("its output has no `{}`", capture.pattern.as_str()),
                }));
            }
            for (label, figure) in figures {
                if let Some(other) = capture.equals.as_deref().filter(|name| number(name) != Some(figure)) {
                    let what = capture.pattern.as_str();
                    let wanted = number(other).map_or("unknown".to_owned(), |wanted| wanted.to_string());
                    return Err(wrong(format!("`{what}` in its output is {figure}; `{other}` is {wanted}")));
                }
                if let Some(name) = &capture.name {
                    let name = intern(&name.replace("{label}", &label));
                    stats.reported.push((Probe::of_program(name, intern(&capture.unit)), figure));
                }
                let counted = figure * capture.scale;
                if capture.target.is_some_and(|target| target != NumberTarget::Commits) && counted <= 0.0 {
                    return Err(wrong(unusable(capture, &figure.to_string())));
                }
                match capture.target {
                    Some(NumberTarget::Operations) => operations = counted as u64,
                    Some(NumberTarget::Bytes) => bytes = counted as u64,
                    Some(NumberTarget::BytesPerSecond) => rate = Some(counted),
                    Some(NumberTarget::Seconds) => elapsed = Nanos((counted * 1e9) as u64),
                    Some(NumberTarget::Commits) => commits = Some(counted as u64),
                    Some(NumberTarget::Figure) => stats.printed = Some(counted),
                    None => {}
                }
            }
        }
        if let Some(rate) = rate {
            bytes = (rate * elapsed.as_seconds()).round() as u64;
        }
        if let Some(commits) = commits {
            stats.count_commits(commits, self.connections);
        }
        stats.count_done(operations, bytes);
        stats.elapsed = stats.elapsed + elapsed;
        stats.record(Operation::Run, elapsed);
        stats.end_part(stats.elapsed);
        Ok(())
    }
}

/// The part of a match that is the number.
fn value<'t>(found: &Captures<'t>) -> Option<Match<'t>> {
    found.name("value").or_else(|| found.get(1))
}

fn unusable(capture: &Capture, found: &str) -> String {
    format!("`{}` in its output is {found}; a figure must be a number above 0", capture.pattern.as_str())
}

impl Capture {
    /// The numbers with their labels. Without a group `label` there is at most one.
    fn figures(&self, text: &str) -> Vec<(String, f64)> {
        let number = |found: &Captures<'_>| {
            value(found)?.as_str().parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0)
        };
        let label = |found: &Captures<'_>| Some(found.name("label")?.as_str().to_lowercase());
        let found = self.pattern.captures_iter(text);
        let all: Vec<_> = found.filter_map(|found| Some((label(&found), number(&found)?))).collect();
        if self.pattern.capture_names().flatten().any(|name| name == "label") {
            return all.into_iter().filter_map(|(label, number)| Some((label?, number))).take(MOST_LABELS).collect();
        }
        let numbers = all.iter().map(|(_, number)| *number);
        let one = match self.take {
            Take::First => numbers.clone().next(),
            Take::Last => numbers.clone().next_back(),
            Take::Sum => (!all.is_empty()).then(|| numbers.sum()),
        };
        one.map(|number| (String::new(), number)).into_iter().collect()
    }
}

impl MessageSpan {
    fn missing(&self) -> String {
        let Self { from, to, .. } = self;
        format!(
            "the time from `{from}` to `{to}` in its output is not known: a message is missing, or both came in one piece"
        )
    }
}

/// The messages of a program, with the times at which they came.
#[derive(Debug, Default)]
pub struct Heard {
    text: String,
    /// For each piece of the output, the length of the text with it, and when it came.
    pieces: Vec<(usize, Nanos)>,
}

impl Heard {
    /// Takes a piece of the output, which came at `now`.
    pub fn hear(&mut self, piece: &[u8], now: Nanos) {
        self.text.push_str(&String::from_utf8_lossy(piece));
        self.pieces.push((self.text.len(), now));
    }

    /// The durations of the spans, each `None` if a message is missing, or if it began and ended in one piece.
    fn times(&self, output: &Output) -> Vec<Option<Nanos>> {
        let mut done = 0;
        let mut find = |message: &str| {
            let end = done + self.text.get(done..)?.find(message)? + message.len();
            done = end;
            self.pieces.iter().position(|(length, _)| *length >= end)
        };
        let span = |span: &MessageSpan| {
            let (begin, end) = (find(&span.from)?, find(&span.to)?);
            (begin != end).then(|| self.pieces[end].1.saturating_sub(self.pieces[begin].1))
        };
        output.spans.iter().map(span).collect()
    }
}
