//! Lists the numerals of a text on standard input by line, like the lists in `catalog/published/numbers` before each
//! numeral is classified: `cargo run -p fsarena-articles --example numerals < TEXT`.

use std::io;

use fsarena_articles::numerals;

fn main() -> io::Result<()> {
    for (line, text) in io::stdin().lines().enumerate() {
        let text = text?;
        let found = numerals(&text);
        if !found.is_empty() {
            println!("{} {}", line + 1, found.join(" "));
        }
    }
    Ok(())
}
