//! JSON objects in a text: programs print messages, progress lines and summaries before, between and after them.

use serde_json::Value;

/// An object that cannot be read.
pub struct Broken {
    /// Where it begins in the text.
    begin: usize,
    error: serde_json::Error,
}

impl Broken {
    /// Why it cannot be read, and in which line of the text.
    pub fn why(&self, text: &str) -> String {
        let line = text[..self.begin].matches('\n').count() + self.error.line();
        let why = self.error.to_string();
        let why = why.split(" at line ").next().unwrap_or_default();
        match self.error.is_eof() {
            true => format!("it ends within an object, in line {line}"),
            false => format!("line {line}: {why}"),
        }
    }
}

/// The outermost objects of a text, without what surrounds them.
pub fn objects(text: &str) -> impl Iterator<Item = Result<Value, Broken>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let begin = beginning(text, at)?;
        let mut json = serde_json::Deserializer::from_str(&text[begin..]).into_iter::<Value>();
        let value = json.next()?;
        at = match &value {
            Ok(_) => begin + json.byte_offset(),
            Err(error) if error.is_eof() => text.len(),
            // Its brace may have been part of a message.
            Err(_) => begin + 1,
        };
        Some(value.map_err(|error| Broken { begin, error }))
    })
}

/// The place of the next brace that a member's name follows.
fn beginning(text: &str, mut from: usize) -> Option<usize> {
    loop {
        let place = from + text[from..].find('{')?;
        if text[place + 1..].trim_start().starts_with('"') {
            return Some(place);
        }
        from = place + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_found_in_any_surroundings() {
        let text = "Jobs: 1 (f=1): [r(1)][50.0%]{\n\"a\": [1, {}]}\nawk '{print}' {}\n  \
                    { \"b\": 2, \"b\": 3 }{\"c\": -1.5}";
        let found: Vec<Value> = objects(text).filter_map(Result::ok).collect();
        let [first, second, third] = &found[..] else { panic!("three: {found:?}") };
        assert_eq!((first["a"][0].as_u64(), &first["a"][1]), (Some(1), &serde_json::json!({})));
        assert_eq!((second["b"].as_f64(), third["c"].as_f64(), &third["d"]), (Some(3.0), Some(-1.5), &Value::Null));
    }

    #[test]
    fn a_broken_object_is_an_error_in_its_line() {
        let why = |text: &str| objects(text).find_map(Result::err).expect("broken").why(text);
        assert_eq!(why("text\n{\"a\": 1,\n\"b\": NaN}"), "line 3: expected value");
        assert_eq!(why("text\n{\"a\": 1,\n\"b"), "it ends within an object, in line 3");
    }
}
