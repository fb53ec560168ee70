//! Lists the numerals of a text on the standard input by their lines, as `catalog/published/numbers` has them before anybody
//! has said what each is: `cargo run -p fsarena-published --example numerals < TEXT`.

use std::io;

use fsarena_published::numerals;

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
