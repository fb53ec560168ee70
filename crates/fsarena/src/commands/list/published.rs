//! The articles in the catalogue, with the number of their parts.

use fsarena_articles::Article;
use fsarena_articles::article::ClaimOutcome;

use crate::commands::table;

/// The columns of the table.
const HEADER: [&str; 11] = [
    "article", "tests", "figures", "orders", "findings", "claims", "hold", "do not hold", "not testable",
    "unsupported", "contradict",
];

/// One row for each article, and a row with the sums.
pub fn articles(articles: &[Article]) -> String {
    let rows: Vec<_> = articles.iter().map(|article| (article.name.clone(), counts(article))).collect();
    let sum = |at: usize| rows.iter().map(|(_, counts)| counts[at]).sum::<usize>();
    let total = ("all".to_owned(), std::array::from_fn(sum));
    let row = |(name, counts): (String, [usize; 10])| {
        std::iter::once(name).chain(counts.map(|count| count.to_string())).collect::<Vec<_>>()
    };
    table(HEADER, rows.iter().cloned().chain([total]).map(row))
}

fn counts(article: &Article) -> [usize; 10] {
    let [hold, not, untestable, unsupported, contradict] =
        ClaimOutcome::ALL.map(|outcome| article.count_of_claims(outcome));
    let (figures, orders) = (article.count_of_figures(), article.count_of_rankings());
    let findings = fsarena_articles::judge(article).len();
    let (tests, claims) = (article.tests.len(), article.claims.len());
    [tests, figures, orders, findings, claims, hold, not, untestable, unsupported, contradict]
}
