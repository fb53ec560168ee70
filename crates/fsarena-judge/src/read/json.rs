//! JSON objects in a text: programs print messages, progress lines and summaries before, between and after them.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// What the names of members begin with that no reader needs: histograms, percentiles and statistics of samples, most
/// of what fio prints. They are not kept, unless they are in [`OPTIONS`].
const LEFT_OUT: [&str; 8] = ["slat_ns", "clat_ns", "bins", "percentile", "iodepth_", "latency_", "bw_", "iops_"];

/// Members whose own members are fio's options: these define the work, whatever they are called.
const OPTIONS: [&str; 2] = ["global options", "job options"];

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
        let mut json = serde_json::Deserializer::from_str(&text[begin..]);
        let value = Without(&LEFT_OUT).deserialize(&mut json);
        at = match &value {
            Ok(_) => begin + json.into_iter::<IgnoredAny>().byte_offset(),
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

/// Reads a value without the members whose names begin with these.
#[derive(Clone, Copy)]
struct Without(&'static [&'static str]);

impl<'de> DeserializeSeed<'de> for Without {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Without {
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
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = items.next_element_seed(self)? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut kept = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            if self.0.iter().any(|begin| name.starts_with(begin)) {
                members.next_value::<IgnoredAny>()?;
            } else {
                let own = if OPTIONS.contains(&name.as_str()) { Self(&[]) } else { self };
                kept.insert(name, members.next_value_seed(own)?);
            }
        }
        Ok(Value::Object(kept))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_found_in_any_surroundings() {
        let text = "Jobs: 1 (f=1): [r(1)][50.0%]{\n\"a\": [1, {\"bins\": {\"5\": 1}}]}\nawk '{print}' {}\n  \
                    { \"b\": 2, \"b\": 3 }{\"c\": -1.5}";
        let found: Vec<Value> = objects(text).filter_map(Result::ok).collect();
        let [first, second, third] = &found[..] else { panic!("three: {found:?}") };
        assert_eq!((first["a"][0].as_u64(), &first["a"][1]), (Some(1), &serde_json::json!({})));
        let options =
            "{\"job options\": {\"iodepth_low\": 1}, \"global options\": [{\"bw_\": 2}], \"iodepth_level\": 3}";
        let [Ok(options)] = &objects(options).collect::<Vec<_>>()[..] else { panic!("one") };
        assert_eq!(options["job options"]["iodepth_low"].as_u64(), Some(1));
        assert_eq!(options["global options"][0]["bw_"].as_u64(), Some(2));
        assert!(options["iodepth_level"].is_null());
        assert_eq!((second["b"].as_f64(), third["c"].as_f64(), &third["d"]), (Some(3.0), Some(-1.5), &Value::Null));
    }

    #[test]
    fn a_broken_object_is_an_error_in_its_line() {
        let why = |text: &str| objects(text).find_map(Result::err).expect("broken").why(text);
        assert_eq!(why("text\n{\"a\": 1,\n\"b\": NaN}"), "line 3: expected value");
        assert_eq!(why("text\n{\"a\": 1,\n\"b"), "it ends within an object, in line 3");
    }
}
