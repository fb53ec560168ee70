//! Every numeral and every sentence of the five texts is in the catalogue, or is classified as something else.
//!
//! The lists in `catalog/published/numbers` have the numerals of each text by line, without its words. The repository
//! does not contain the texts, because their rights belong to their publishers. `make test-articles SEEDS=DIR` makes
//! the lists again from the texts and compares them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use fsarena_articles::Article;
use fsarena_articles::numerals;

const ARTICLES: [(&str, &str); 5] = [
    ("axvisor", "000_5b34dd3fa68ee026.txt"),
    ("openeuler", "001_ccfe717114634526.txt"),
    ("vagrant", "002_51bc67e36dda7bf5.txt"),
    ("trading", "003_ea347b2bff103129.txt"),
    ("phoronix-2009", "004_034cb719ff421e09.txt"),
];

/// The contents of a list of numerals.
struct Listed {
    /// Reasons why a numeral is no figure, or a sentence no claim.
    reasons: BTreeSet<String>,
    /// Sentences without a claim, as `LINE.SENTENCE`, with the reason.
    prose: BTreeMap<String, String>,
    /// Line, numeral, and its classification: `None` for a figure.
    numerals: Vec<(usize, String, Option<String>)>,
}

fn listed(name: &str) -> Listed {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../catalog/published/numbers/{name}.txt"));
    let text = std::fs::read_to_string(path).expect("the list is there");
    let mut all = Listed { reasons: BTreeSet::new(), prose: BTreeMap::new(), numerals: Vec::new() };
    for line in text.lines() {
        let (first, rest) = line.split_once(' ').expect("two words or more");
        let one = rest.split(' ').next().expect("not empty").to_owned();
        match first {
            "#" => {}
            "!" => drop(all.reasons.insert(one)),
            "~" => {
                let (_, reason) = rest.split_once(' ').expect("a sentence and a reason");
                all.prose.insert(one, reason.to_owned());
            }
            line => all.numerals.extend(rest.split(' ').map(|entry| match entry.split_once('=') {
                Some((numeral, role)) => (number(line), numeral.to_owned(), Some(role.to_owned())),
                None => (number(line), entry.to_owned(), None),
            })),
        }
    }
    all
}

fn number(text: &str) -> usize {
    text.parse().expect("a line's number")
}

/// The texts of an article's figures, including those that occur again and those in claims.
fn figures(article: &Article) -> Vec<&str> {
    let metrics = article.tests.iter().flat_map(|test| &test.metrics);
    let figures = metrics.flat_map(|metric| &metric.figures);
    let of_figures = figures.map(|figure| (&figure.text, &figure.again));
    let computed = article.claims.iter().flat_map(|claim| &claim.computed);
    let all = of_figures.chain(computed.map(|number| (&number.text, &number.again)));
    all.flat_map(|(text, again)| std::iter::once(&**text).chain(again.iter().map(|again| &*again.text))).collect()
}

/// The texts that an article quotes, apart from figures.
fn words(article: &Article) -> Vec<&str> {
    let mut all = vec![&*article.title, &article.source];
    all.extend(article.machine.iter().flat_map(|(name, what)| [&**name, what]));
    all.extend(article.contenders.iter().map(|contender| &*contender.about));
    for test in &article.tests {
        all.extend([&*test.original, &test.method]);
        all.extend(test.places.iter().map(String::as_str));
        let rankings = test.metrics.iter().flat_map(|metric| &metric.rankings);
        all.extend(rankings.flat_map(|ranking| [Some(&*ranking.original), ranking.at.as_deref()]).flatten());
    }
    all.extend(article.claims.iter().map(|claim| &*claim.original));
    all
}

fn sorted<'a>(all: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut all: Vec<&str> = all.collect();
    all.sort_unstable();
    all
}

#[test]
fn the_figures_are_exactly_the_numerals_that_are_figures() {
    for (name, _) in ARTICLES {
        let (article, listed) = (fsarena_articles::article(name).expect("there"), listed(name));
        let here = sorted(figures(&article).into_iter().filter_map(|text| numerals(text).first().copied()));
        let there = listed.numerals.iter().filter(|(_, _, role)| role.is_none());
        assert_eq!(here, sorted(there.map(|(_, numeral, _)| &**numeral)), "{name}");
    }
}

#[test]
fn all_other_numerals_are_in_the_articles_words_or_have_a_reason() {
    for (name, _) in ARTICLES {
        let (article, listed) = (fsarena_articles::article(name).expect("there"), listed(name));
        let words: BTreeSet<&str> = words(&article).into_iter().flat_map(numerals).collect();
        for (line, numeral, role) in &listed.numerals {
            match role.as_deref() {
                Some("words") => assert!(words.contains(&**numeral), "{name}, line {line}: {numeral}"),
                Some(role) => assert!(listed.reasons.contains(role), "{name}, line {line}: no reason `{role}`"),
                None => {}
            }
        }
        assert!(listed.prose.values().all(|reason| listed.reasons.contains(reason)), "{name}");
    }
}

#[test]
fn a_value_is_that_of_its_text() {
    for (name, _) in ARTICLES {
        let article = fsarena_articles::article(name).expect("there");
        for figure in article.tests.iter().flat_map(|test| &test.metrics).flat_map(|metric| &metric.figures) {
            let numeral: f64 = numerals(&figure.text)[0].replace(',', "").parse().expect("a number");
            let ratio = figure.value / numeral;
            let is_a_unit = [1.0, 1000.0, 1024.0].iter().any(|unit: &f64| (ratio / unit - 1.0).abs() < 1e-9);
            assert!(is_a_unit, "{name}: {} is not {}", figure.value, figure.text);
        }
    }
}

/// An article's text, in the directory that the environment variable `FSARENA_SEEDS` names.
fn seed(file: &str) -> String {
    let folder = std::env::var_os("FSARENA_SEEDS").map(PathBuf::from).expect("FSARENA_SEEDS names a directory");
    std::fs::read_to_string(folder.join(file)).expect("the text of an article")
}

#[test]
#[ignore = "needs the articles' texts: make test-articles"]
fn the_lists_are_those_of_the_texts() {
    for (name, file) in ARTICLES {
        let text = seed(file);
        let of_line = |(line, text): (usize, &str)| -> Vec<(usize, String)> {
            numerals(text).into_iter().map(|numeral| (line + 1, numeral.to_owned())).collect()
        };
        let there: Vec<(usize, String)> = text.lines().enumerate().flat_map(of_line).collect();
        let here: Vec<(usize, String)> =
            listed(name).numerals.into_iter().map(|(line, what, _)| (line, what)).collect();
        assert_eq!(here, there, "{name}");
        let article = fsarena_articles::article(name).expect("there");
        let absent = figures(&article).into_iter().find(|figure| !text.contains(figure));
        assert_eq!(absent, None, "{name}: no such words in the text");
    }
}

/// Letters and digits only: the texts mix punctuation marks of two kinds.
fn plain(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}

/// Letters of the articles' languages.
fn letters(text: &str) -> usize {
    text.chars().filter(|c| matches!(c, '\u{400}'..='\u{4ff}' | '\u{4e00}'..='\u{9fff}')).count()
}

#[test]
#[ignore = "needs the articles' texts: make test-articles"]
fn quotations_exist_and_every_sentence_is_represented() {
    for (name, file) in ARTICLES {
        let text = seed(file);
        let (article, whole) = (fsarena_articles::article(name).expect("there"), plain(&text));
        let metrics = article.tests.iter().flat_map(|test| &test.metrics);
        let rankings = metrics.flat_map(|metric| &metric.rankings).flat_map(|ranking| ranking.original.split(';'));
        for quoted in rankings.chain(article.claims.iter().map(|claim| &*claim.original)) {
            assert!(whole.contains(&plain(quoted)), "{name}: not in the text: {quoted}");
        }
        let (parts, listed) = (parts(&article), listed(name));
        for (place, sentence) in sentences(&text) {
            let is_kept = parts.iter().any(|part| sentence.contains(part) || part.contains(&sentence));
            assert!(is_kept || listed.prose.contains_key(&place), "{name}, {place}: nothing is kept of it");
        }
    }
}

/// The texts that an article quotes, whole and split at punctuation marks.
fn parts(article: &Article) -> Vec<String> {
    let words = words(article);
    let between = words.iter().flat_map(|words| words.split([';', ':', ',']));
    let all = between.chain(words.iter().copied()).filter(|part| letters(part) > 0).map(plain);
    all.filter(|part| part.chars().count() > 5).collect()
}

/// The sentences of a text that have ten letters or more, as `LINE.SENTENCE` and in letters and digits only.
fn sentences(text: &str) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for (line, text) in text.lines().enumerate() {
        let text = text.replace(". ", "。");
        let sentences = text.split(['。', '！', '；', '!', ';']).enumerate().filter(|(_, text)| letters(text) >= 10);
        all.extend(sentences.map(|(at, sentence)| (format!("{}.{}", line + 1, at + 1), plain(sentence))));
    }
    all
}
