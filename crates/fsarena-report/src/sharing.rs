//! What shared file systems guarantee to their clients, a row for each.

use fsarena_model::Sharing;
use fsarena_model::comparison::{Comparison, ContenderRow};

use crate::number::or_dash;
use crate::report::ColumnKind::{Name, Words};
use crate::report::{Paragraph, Section, TableLook, TableOf};

const MEANING: &str = "From the type and the options of each mount. Changes of others: when a client sees what other \
    clients have changed. What a server does with an fsync, no client sees: --guarantee LABEL=unflushed states it. On \
    clients, contenders with different guarantees of fsync or different coherence are never ranked with each other.";

/// The section; empty without shared file systems.
pub fn section(comparison: &Comparison) -> Section {
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
    Section::titled("What the shared file systems guarantee").with(table).with(Paragraph::legend(MEANING))
}
