//! Small articles for tests.

use crate::article::Article;

/// An article of two contenders, `a` and `b`. `rest` has its other tables in TOML, such as `[[tests]]`.
pub fn article(rest: &str) -> Article {
    let head = "name = 'x'\ntitle = 'x'\nenglish = 'x'\nlanguage = 'zh'\nsource = 'x'\nmachine = {}\n";
    let absent =
        |table: &str| if rest.contains(&format!("[[{table}]]")) { String::new() } else { format!("{table} = []\n") };
    let head = format!("{head}{}{}", absent("tests"), absent("claims"));
    let text = format!("{head}contenders = [{{ name = 'a', about = 'a' }}, {{ name = 'b', about = 'b' }}]\n{rest}");
    toml::from_str(&text).expect("the test's article is well-formed")
}

/// A test with this name, further keys, and metrics `(name, quantity, figure of a, figure of b)`.
pub fn test(name: &str, keys: &str, metrics: &[(&str, &str, &str, &str)]) -> String {
    let mut text =
        format!("[[tests]]\nname = '{name}'\ntitle = 'x'\noriginal = 'x'\nshown = 'table'\nmethod = 'x'\n{keys}\n");
    for (metric, quantity, a, b) in metrics {
        let better = if quantity.contains("per-second") { "higher" } else { "lower" };
        text += &format!(
            "[[tests.metrics]]\nname = '{metric}'\nunit = 'x'\nbetter = '{better}'\nquantity = '{quantity}'\n"
        );
        text += &format!("figures = [{}, {}]\n", figure("a", a), figure("b", b));
    }
    text
}

fn figure(contender: &str, text: &str) -> String {
    format!("{{ contender = '{contender}', value = {text}, text = '{text}' }}")
}

/// The sentences of findings.
pub fn sentences(found: Vec<crate::Violation>) -> Vec<String> {
    found.into_iter().map(|found| found.sentence).collect()
}
