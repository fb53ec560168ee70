//! What differs from the article: which contender corresponds to which, what the tests do otherwise, and what the
//! article has apart from its tests.

use crate::article::{Counterpart, PublishedContender};
use crate::reproduction::Reproduction;
use crate::reproduction::StandIn;
use fsarena_model::Comparison;

use fsarena_report::report::{List, ListLook, Section};

/// Sentences about contenders of the article that take no part, and about contenders that the article does not have.
pub fn sentences(comparison: &Comparison, reproduction: &Reproduction) -> Vec<String> {
    let absent: Vec<&str> =
        contenders(reproduction).filter(|(_, one)| is_absent(one)).map(|(_, one)| &*one.name).collect();
    let absent = (!absent.is_empty()).then(|| {
        let (takes, them) = if absent.len() == 1 { ("takes", "it") } else { ("take", "them") };
        let names = absent.join(", ");
        format!("Of the article's contenders {names} {takes} no part in this run: nothing below shows anything about {them}.")
    });
    let labels = comparison.contenders.iter().map(|row| &row.label);
    let is_further = |label: &&fsarena_model::Label| {
        let is_it = |one: &StandIn| one.as_published.as_ref() == Some(*label) || one.properly.as_ref() == Some(*label);
        !reproduction.stand_ins.iter().any(is_it)
    };
    let further: Vec<&str> = labels.filter(is_further).map(|label| label.0.as_str()).collect();
    let further = (!further.is_empty()).then(|| format!("Not in the article: {}.", further.join(", ")));
    absent.into_iter().chain(further).collect()
}

/// The section; `None` if the article's data have nothing for it.
pub fn section(reproduction: &Reproduction) -> Option<Section> {
    let article = &reproduction.article;
    let represented = contenders(reproduction).filter_map(|(published, one)| represented(published, one));
    let further = article.further.iter().map(|further| match &further.counterpart {
        Counterpart::Here(here) => format!("{}: {here}", further.what),
        Counterpart::Nothing(why) => format!("{}: nothing here. {why}", further.what),
    });
    let items: Vec<String> = represented.chain(article.differences.iter().cloned()).chain(further).collect();
    let title = "What differs from the article";
    (!items.is_empty()).then(|| Section::titled(title).with(List::new(ListLook::Notes, items)))
}

fn contenders(reproduction: &Reproduction) -> impl Iterator<Item = (&PublishedContender, &StandIn)> {
    reproduction.article.contenders.iter().zip(&reproduction.stand_ins)
}

fn is_absent(stand_in: &StandIn) -> bool {
    stand_in.as_published.is_none()
}

/// How the counterpart of a contender differs from it, or which could take part.
fn represented(published: &PublishedContender, stand_in: &StandIn) -> Option<String> {
    let why = published.differs.as_deref();
    let name = &published.name;
    match (&stand_in.as_published, published.here.as_slice()) {
        (Some(label), _) => why.map(|why| format!("{name} is {label} here. {why}")),
        (None, []) => Some(format!("{name} cannot be had here. {}", why.unwrap_or_default()).trim_end().to_owned()),
        (None, here) => {
            let here = here.join(" or ");
            Some(
                format!(
                    "{name} takes no part; {here} among the contenders would represent it. {}",
                    why.unwrap_or_default()
                )
                .trim_end()
                .to_owned(),
            )
        }
    }
}
