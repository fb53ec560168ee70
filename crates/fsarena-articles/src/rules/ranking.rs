//! Compares the orders that an article states with each other and with its figures.

use crate::article::{Article, Check, Claim, PublishedMetric, PublishedTest, StatedOrder, at_place};
use fsarena_model::Better;

use crate::Violation;
use crate::figures::{found, metrics, number};

/// Finds orders that contradict another order of the same test and place, or the figures.
pub fn among_themselves(article: &Article) -> Vec<Violation> {
    let of_metric = |(test, metric)| {
        let of = move |sentence| found(test, Some(metric), sentence);
        contradictions(metric).into_iter().map(of)
    };
    metrics(article).flat_map(of_metric).collect()
}

fn contradictions(metric: &PublishedMetric) -> Vec<String> {
    let mut all = Vec::new();
    for (index, ranking) in metric.rankings.iter().enumerate() {
        let same_place = metric.rankings[..index].iter().filter(|other| other.at == ranking.at);
        for (better, worse) in pairs(&ranking.order) {
            let says = |other: &&StatedOrder| pairs(&other.order).any(|pair| pair == (worse, better));
            if let Some(other) = same_place.clone().find(says) {
                all.push(format!(
                    "{better} before {worse} in \"{}\", and after it in \"{}\"",
                    ranking.original, other.original
                ));
            }
            if is_better(metric, worse, better, ranking.at.as_deref()) == Some(true) {
                all.push(format!("{better} before {worse} in \"{}\", and its figure is worse", ranking.original));
            }
        }
    }
    all
}

/// All pairs of an order, the better one first. Contenders of the same group are no pair.
fn pairs(order: &[Vec<String>]) -> impl Iterator<Item = (&str, &str)> {
    let against_later = move |(at, group): (usize, _)| {
        let later = move |one| order[at + 1..].iter().flatten().map(move |other| (one, other));
        <&Vec<String>>::into_iter(group).flat_map(later)
    };
    order.iter().enumerate().flat_map(against_later).map(|(one, other)| (one.as_str(), other.as_str()))
}

/// Whether the figure of one is better than that of another by more than rounding; `None` if a figure is missing.
fn is_better(metric: &PublishedMetric, one: &str, other: &str, at: Option<&str>) -> Option<bool> {
    let of = |name: &str| metric.figures.iter().find(|figure| figure.contender == name && figure.at.as_deref() == at);
    let (one, other) = (number(of(one)?), number(of(other)?));
    Some(!one.agrees(other) && (one.value > other.value) == (metric.better == Better::Higher))
}

/// Finds orders in claims that contradict the orders or figures of their tests.
pub fn claimed(article: &Article) -> Vec<Violation> {
    let of_check = |claim: &Claim, check: &Check| {
        let test = article.test(&check.test)?;
        let metric = test.metric(check.metric.as_deref())?;
        let wrong = pairs(&check.order).find_map(|(better, worse)| not_so(test, metric, &check.at, better, worse))?;
        Some(found(test, Some(metric), format!("{wrong} (claim `{}`)", claim.name)))
    };
    let of_claim = |claim: &Claim| claim.check.iter().find_map(|check| of_check(claim, check));
    article.claims.iter().filter_map(of_claim).collect()
}

/// Why `better` is not better than `worse` at one of the places `at`, or at any place if `at` is empty.
fn not_so(test: &PublishedTest, metric: &PublishedMetric, at: &[String], better: &str, worse: &str) -> Option<String> {
    let is_there = |ranking: &&StatedOrder| {
        at.is_empty() || ranking.at.is_none() || at.iter().any(|place| ranking.is_at(test, Some(place)))
    };
    let turned = |ranking: &&StatedOrder| pairs(&ranking.order).any(|pair| pair == (worse, better));
    if let Some(ranking) = metric.rankings.iter().filter(is_there).find(turned) {
        let place = at_place(ranking.at.as_ref());
        return Some(format!("{better} is called better than {worse}, which precedes it in its own order{place}"));
    }
    let places = at.iter().map(|place| Some(place.as_str())).chain(at.is_empty().then_some(None));
    let is_wrong = places.into_iter().any(|place| is_better(metric, better, worse, place) == Some(false));
    is_wrong.then(|| format!("{better} is called better than {worse}, but its figure is not"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{article, sentences, test};

    fn with(rankings: &[(&str, &str)]) -> Article {
        let ranking = |(at, order): &(&str, &str)| {
            let at = if at.is_empty() { String::new() } else { format!("at = '{at}', ") };
            format!("{{ {at}order = {order}, original = \"{order}\" }}")
        };
        let all: Vec<String> = rankings.iter().map(ranking).collect();
        article(&(test("t", "", &[("time", "seconds", "20", "34")]) + &format!("rankings = [{}]\n", all.join(", "))))
    }

    #[test]
    fn orders_contradict_each_other_and_the_figures() {
        assert!(among_themselves(&with(&[("", "[['a'], ['b']]")])).is_empty());
        assert!(among_themselves(&with(&[("1", "[['a'], ['b']]"), ("2", "[['b'], ['a']]")])).is_empty());
        let of_two = sentences(among_themselves(&with(&[("1", "[['a'], ['b']]"), ("1", "[['b'], ['a']]")])));
        assert!(of_two[0].starts_with("b before a in"), "{of_two:?}");
        let of_figures = sentences(among_themselves(&with(&[("", "[['b'], ['a']]")])));
        assert!(of_figures[0].ends_with("its figure is worse"), "{of_figures:?}");
    }

    #[test]
    fn a_claim_of_another_order_is_named() {
        let claim = |order: &str| {
            let text =
                "[[claims]]\nname = 'c'\nkind = 'sum'\ntext = 'x'\noriginal = 'x'\noutcome = 'holds'\nwhy = 'x'\n";
            article(
                &(test("t", "", &[("time", "seconds", "20", "34")])
                    + text
                    + &format!("check = [{{ test = 't', order = {order} }}]\n")),
            )
        };
        assert!(claimed(&claim("[['a'], ['b']]")).is_empty());
        assert_eq!(claimed(&claim("[['b'], ['a']]")).len(), 1);
    }

    #[test]
    fn a_claim_about_places_is_held_against_the_orders_there() {
        let metric = "rankings = [{ at = '1', order = [['b'], ['a']], original = 'x' }]\nplaces = ['1', '2']\n";
        let (rankings, places) = metric.split_once('\n').expect("two lines");
        let claim = "[[claims]]\nname = 'c'\nkind = 'sum'\ntext = 'x'\noriginal = 'x'\noutcome = 'holds'\nwhy = 'x'\n";
        let of = |at: &str| {
            let check = format!("check = [{{ test = 't', at = ['{at}'], order = [['a'], ['b']] }}]\n");
            article(&(test("t", places, &[("time", "seconds", "20", "34")]) + rankings + "\n" + claim + &check))
        };
        assert_eq!((claimed(&of("1")).len(), claimed(&of("2")).len()), (1, 0));
    }
}
