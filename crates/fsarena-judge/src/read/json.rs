//! JSON objects in a text: programs print messages, progress lines and summaries before, between and after them.

use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// What the names of members begin with that no reader needs: histograms, percentiles and statistics of samples, most
/// of what fio prints. They are not kept: the members of 100 MB took 0.9 GB of memory.
const LEFT_OUT: [&str; 8] = ["slat_ns", "clat_ns", "bins", "percentile", "iodepth_", "latency_", "bw_", "iops_"];

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
        let mut values = serde_json::Deserializer::from_str(&text[begin..]).into_iter::<Kept>();
        let value = values.next()?;
        at = match &value {
            Ok(_) => begin + values.byte_offset(),
            Err(error) if error.is_eof() => text.len(),
            // Its brace may have been part of a message.
            Err(_) => begin + 1,
        };
        Some(value.map(|Kept(value)| value).map_err(|error| Broken { begin, error }))
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

/// A value without the members that are [`LEFT_OUT`].
struct Kept(Value);

impl<'de> Deserialize<'de> for Kept {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(KeptVisitor).map(Self)
    }
}

struct KeptVisitor;

impl<'de> Visitor<'de> for KeptVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(Kept(value)) = items.next_element()? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut kept = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            if LEFT_OUT.iter().any(|begin| name.starts_with(begin)) {
                members.next_value::<IgnoredAny>()?;
            } else {
                let Kept(value) = members.next_value()?;
                kept.insert(name, value);
            }
        }
        Ok(Value::Object(kept))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn objects_are_found_in_any_surroundings() {
        let text = "Jobs: 1 (f=1): [r(1)][50.0%]{\n\"a\": [1, {\"bins\": {\"5\": 1}}]}\nawk '{print}' {}\n  { \"b\": 2 }{\"c\": -1.5}";
        let found: Vec<Value> = objects(text).filter_map(Result::ok).collect();
        assert_eq!(found, [json!({ "a": [1, {}] }), json!({ "b": 2 }), json!({ "c": -1.5 })]);
    }

    #[test]
    fn a_broken_object_is_an_error_in_its_line() {
        let why = |text: &str| objects(text).find_map(Result::err).expect("broken").why(text);
        assert_eq!(why("text\n{\"a\": 1,\n\"b\": NaN}"), "line 3: expected value");
        assert_eq!(why("text\n{\"a\": 1,\n\"b"), "it ends within an object, in line 3");
    }
}
