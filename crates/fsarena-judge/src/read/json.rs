//! JSON objects in a text: programs print messages, progress lines and summaries before, between and after them.

use std::collections::HashSet;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Index;
use std::rc::Rc;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// What the names of members begin with that no reader needs: histograms, percentiles and statistics of samples, most
/// of what fio prints. They are not kept, unless they are in [`OPTIONS`].
const LEFT_OUT: [&str; 8] = ["slat_ns", "clat_ns", "bins", "percentile", "iodepth_", "latency_", "bw_", "iops_"];

/// Members whose own members are fio's options: these define the work, whatever they are called.
const OPTIONS: [&str; 2] = ["global options", "job options"];

/// A value. A hundred megabytes of small jobs have millions of members, so a member takes 40 bytes, where
/// `serde_json::Value` takes 630 for an object of one member.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Null,
    Bool(bool),
    Number(f64),
    String(Box<str>),
    Array(Box<[Value]>),
    /// In the order of the text.
    Object(Box<[(Rc<str>, Value)]>),
}

impl Value {
    pub fn as_f64(&self) -> Option<f64> {
        if let Self::Number(number) = self { Some(*number) } else { None }
    }

    pub fn as_u64(&self) -> Option<u64> {
        self.as_f64().filter(|number| number.fract() == 0.0 && *number >= 0.0).map(|number| number as u64)
    }

    pub fn as_str(&self) -> Option<&str> {
        if let Self::String(text) = self { Some(text) } else { None }
    }

    pub fn as_array(&self) -> Option<&[Value]> {
        if let Self::Array(values) = self { Some(values) } else { None }
    }

    pub fn as_object(&self) -> Option<&[(Rc<str>, Value)]> {
        if let Self::Object(members) = self { Some(members) } else { None }
    }

    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }
}

/// A member; null if there is none. Of several with one name, the last one.
impl<N: AsRef<str> + ?Sized> Index<&N> for Value {
    type Output = Value;

    fn index(&self, name: &N) -> &Value {
        let mut members = self.as_object().into_iter().flatten().rev();
        members.find(|(own, _)| **own == *name.as_ref()).map_or(&Value::Null, |(_, value)| value)
    }
}

/// An item; null if there is none.
impl Index<usize> for Value {
    type Output = Value;

    fn index(&self, place: usize) -> &Value {
        self.as_array().and_then(|values| values.get(place)).unwrap_or(&Value::Null)
    }
}

impl Hash for Value {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        std::mem::discriminant(self).hash(hasher);
        match self {
            Self::Null => {}
            Self::Bool(value) => value.hash(hasher),
            Self::Number(number) => number.to_bits().hash(hasher),
            Self::String(text) => text.hash(hasher),
            Self::Array(values) => values.hash(hasher),
            Self::Object(members) => members.hash(hasher),
        }
    }
}

/// As in JSON, but for the names and items of what has several.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(value) => value.fmt(f),
            Self::Number(number) => number.fmt(f),
            Self::String(text) => write!(f, "{text:?}"),
            Self::Array(_) => f.write_str("a list"),
            Self::Object(_) => f.write_str("an object"),
        }
    }
}

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
    let mut names = KnownNames::default();
    std::iter::from_fn(move || {
        let begin = beginning(text, at)?;
        let mut json = serde_json::Deserializer::from_str(&text[begin..]);
        let value = WithoutLeftOut { names: &mut names, left_out: &LEFT_OUT }.deserialize(&mut json);
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

/// The names of members, each once.
#[derive(Default)]
struct KnownNames(HashSet<Rc<str>>);

impl KnownNames {
    fn shared(&mut self, name: &str) -> Rc<str> {
        if let Some(known) = self.0.get(name) {
            return known.clone();
        }
        let name: Rc<str> = name.into();
        self.0.insert(name.clone());
        name
    }
}

/// Reads a value without the members whose names begin with `left_out`.
struct WithoutLeftOut<'n> {
    names: &'n mut KnownNames,
    left_out: &'static [&'static str],
}

impl<'de> DeserializeSeed<'de> for WithoutLeftOut<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for WithoutLeftOut<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value as f64))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::Number(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = items.next_element_seed(WithoutLeftOut { names: self.names, ..self })? {
            values.push(value);
        }
        Ok(Value::Array(values.into()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut kept = Vec::new();
        while let Some(name) = members.next_key::<String>()? {
            if self.left_out.iter().any(|begin| name.starts_with(begin)) {
                members.next_value::<IgnoredAny>()?;
            } else {
                let left_out = if OPTIONS.contains(&&*name) { &[] } else { self.left_out };
                let name = self.names.shared(&name);
                kept.push((name, members.next_value_seed(WithoutLeftOut { names: self.names, left_out })?));
            }
        }
        Ok(Value::Object(kept.into()))
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
        assert_eq!((first["a"][0].as_u64(), &first["a"][1]), (Some(1), &Value::Object([].into())));
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
