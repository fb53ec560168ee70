//! Clients: how figures change with their number, what each did, what they are, and what shared file systems guarantee
//! to them.

use fsarena_model::comparison::{Comparison, ContenderRow, ScalingPair, ScalingPoint, ScalingRow};
use fsarena_model::{ClientFacts, Sharing, grouped};

use crate::number::{hundredths, or_dash, seconds, value};
use crate::report::ColumnKind::{Figure, Name, Words};
use crate::report::{Arrangement, Drawing, Drawings, List, ListLook, Paragraph, Section, Shown, TableLook, TableOf};
use crate::svg::lines::against_clients;
use crate::words::listed;

const MEANING: &str = "The figure of all clients together, in the time in which all of them worked. Each: the figure \
    divided by the number of clients. Slowest: the rate of the slowest client divided by the median rate of the others. \
    Until the last: the time until the last client had finished, divided by the time in which all worked. Skew: the \
    largest difference between the starts of two clients in a slice, with the possible error of their clocks; slices in \
    which it exceeds 1 % do not count.";

const CLOCKS: &str = "Clocks were compared before each slice, like NTP: the client's clock is taken to be read in the \
    middle between question and answer, and the error is half of that time. Slices begin at an agreed moment of \
    monotonic clocks, whose offsets are known: a wrong time of day changes no figure.";

type PointOfRow<'a> = (&'a ScalingRow, &'a ScalingPoint);

/// The section; empty without clients.
pub fn section(comparison: &Comparison) -> Section {
    let rows = comparison.scaling.rows.iter();
    let places: Vec<PointOfRow<'_>> = rows.flat_map(|row| row.points.iter().map(move |point| (row, point))).collect();
    let figures = TableOf::new(TableLook::Narrow, &places)
        .column(Name, "workload", |(row, _)| &row.workload)
        .column(Name, "contender", |(row, _)| &row.contender.0)
        .column(Figure, "clients", |(_, point)| point.clients.to_string())
        .column(Figure, "figure", |place| figure(place, 1.0))
        .column(Figure, "each", |place| figure(place, f64::from(place.1.clients)))
        .column(Figure, "slowest", |(_, point)| or_dash(point.slowest.map(hundredths)))
        .column(Figure, "until the last", |(_, point)| or_dash(point.until_last.map(hundredths)))
        .column(Figure, "skew", |(_, point)| or_dash(point.skew.map(seconds)))
        .column(Figure, "not counted", |(_, point)| point.skewed.to_string());
    short(comparison)
        .with_shown(Shown::Page, drawings(comparison))
        .with(figures)
        .with(Paragraph::legend(MEANING))
        .with(clients(&comparison.environment.clients))
}

/// The section without its tables.
pub fn short(comparison: &Comparison) -> Section {
    Section::titled("More clients").with(List::new(ListLook::Paragraphs, sentences(comparison)))
}

fn clients(clients: &[ClientFacts]) -> Section {
    let numbered: Vec<(usize, &ClientFacts)> = clients.iter().enumerate().collect();
    let table = TableOf::new(TableLook::Narrow, &numbered)
        .column(Name, "client", |(index, _)| (index + 1).to_string())
        .column(Name, "host", |(_, client)| or_dash(client.machine.host.clone()))
        .column(Name, "kernel", |(_, client)| or_dash(client.kernel.clone()))
        .column(Figure, "cores", |(_, client)| or_dash(client.cores.map(|cores| cores.to_string())))
        .column(Figure, "memory size", |(_, client)| or_dash(client.memory.map(|size| size.to_string())))
        .column(Figure, "time of day ahead", |(_, client)| seconds(client.clock.time_of_day))
        .column(Figure, "error", |(_, client)| seconds(client.clock.error));
    Section::titled("The clients").with(table).with(Paragraph::legend(CLOCKS))
}

fn figure((row, point): &PointOfRow<'_>, divisor: f64) -> String {
    or_dash(point.median.map(|median| value(median / divisor, &row.unit)))
}

fn drawings(comparison: &Comparison) -> Drawings {
    let drawing = |(name, rows): (&str, Vec<&ScalingRow>)| {
        Some(Drawing { caption: format!("{name} with more clients"), svg: against_clients(&rows)? })
    };
    Drawings::new(Arrangement::Wide, by_workload(comparison).into_iter().filter_map(drawing))
}

/// For each workload, what further clients add, and who gains more.
fn sentences(comparison: &Comparison) -> Vec<String> {
    by_workload(comparison).iter().filter_map(|(name, rows)| sentence(comparison, name, rows)).collect()
}

fn by_workload(comparison: &Comparison) -> Vec<(&str, Vec<&ScalingRow>)> {
    grouped(comparison.scaling.rows.iter().map(|row| (row.workload.as_str(), row)))
}

fn sentence(comparison: &Comparison, workload: &str, rows: &[&ScalingRow]) -> Option<String> {
    let gains: Vec<String> = rows.iter().filter_map(|row| gain(row)).collect();
    let first = rows.first()?;
    let (fewest, most) = (first.points.first()?.clients, first.points.last()?.clients);
    let pairs = comparison.scaling.pairs.iter().filter(|pair| pair.workload == workload);
    let shown: Vec<String> = pairs.filter_map(winner).collect();
    let verdict = match shown.is_empty() {
        true => String::new(),
        false => format!(" It is shown that {}.", listed(&shown)),
    };
    (!gains.is_empty()).then(|| format!("{workload}: from {fewest} to {most} clients, {}.{verdict}", listed(&gains)))
}

/// `gluster does 1.8 times as much (exponent 0.42 [0.38, 0.47])`.
fn gain(row: &ScalingRow) -> Option<String> {
    let (first, last) = (row.points.first()?.median?, row.points.last()?.median?);
    let exponent = row.exponent?;
    let interval = row.low.zip(row.high);
    let interval = interval.map_or(String::new(), |(low, high)| format!(" [{low:.2}, {high:.2}]"));
    Some(format!("{} does {:.2} times as much (exponent {exponent:.2}{interval})", row.contender, last / first))
}

fn winner(pair: &ScalingPair) -> Option<String> {
    let (more, less) = pair.verdict.ordered(&pair.a, &pair.b)?;
    Some(format!("{more} gains more from further clients than {less}"))
}

const GUARANTEES: &str = "From the type and the options of each mount. Changes of others: when a client sees what other \
    clients have changed. What a server does with an fsync, no client sees: --guarantee LABEL=unflushed states it. On \
    clients, contenders with different guarantees of fsync or different coherence are never ranked with each other.";

/// The section; empty without shared file systems.
pub fn guarantees(comparison: &Comparison) -> Section {
    let of_row = |row: &ContenderRow| Some((row.label.clone(), row.sharing.clone()?));
    let rows: Vec<_> = comparison.contenders.iter().filter_map(of_row).collect();
    let coherence = |sharing: &Sharing| or_dash(sharing.coherence.map(|class| class.to_string()));
    let table = TableOf::new(TableLook::Narrow, &rows)
        .column(Name, "contender", |(label, _)| &label.0)
        .column(Words, "fsync", |(_, sharing)| &sharing.fsync)
        .column(Words, "changes of others", |(_, sharing)| coherence(sharing))
        .column(Words, "attributes cached", |(_, sharing)| &sharing.attributes)
        .column(Words, "locks", |(_, sharing)| &sharing.locks)
        .column(Words, "if the server is silent", |(_, sharing)| &sharing.silent_server);
    Section::titled("What the shared file systems guarantee").with(table).with(Paragraph::legend(GUARANTEES))
}
