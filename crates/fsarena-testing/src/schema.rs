//! Compares JSON with a JSON Schema (<https://json-schema.org/draft/2020-12>), as far as the schemas in `docs/` use it.
//!
//! It is stricter than the standard: keys that the schema does not list are mistakes, so that none is forgotten there.

use serde_json::{Map, Value};

/// The keywords that are checked. Any other keyword panics, except those that only describe.
const DESCRIBING: [&str; 4] = ["$schema", "title", "description", "$defs"];

/// Where `value` differs from `schema`, each with its path; empty if it does not.
///
/// # Panics
/// If the schema has a keyword that is not supported, or refers to a definition that it does not have.
pub fn mistakes(schema: &Value, value: &Value) -> Vec<String> {
    SchemaCheck { root: schema, found: &mut Vec::new() }.of(schema, value, "")
}

struct SchemaCheck<'a> {
    root: &'a Value,
    found: &'a mut Vec<String>,
}

impl SchemaCheck<'_> {
    fn value(&mut self, schema: &Value, value: &Value, path: &str) {
        for (keyword, rule) in schema.as_object().expect("a schema is an object") {
            let is_met = match keyword.as_str() {
                "type" => is_of_type(rule, value),
                "enum" => rule.as_array().is_some_and(|values| values.contains(value)),
                "const" => rule == value,
                "anyOf" => {
                    let each = rule.as_array().expect("a list").iter().map(|one| self.of(one, value, path));
                    self.found.extend(each.min_by_key(Vec::len).unwrap_or_default());
                    true
                }
                "$ref" => {
                    let pointer = rule.as_str().and_then(|text| text.strip_prefix('#')).expect("within the schema");
                    let root = self.root;
                    self.value(root.pointer(pointer).unwrap_or_else(|| panic!("{pointer} is missing")), value, path);
                    true
                }
                "items" => {
                    for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                        self.value(rule, item, &format!("{path}/{index}"));
                    }
                    true
                }
                "required" => {
                    let keys = rule.as_array().expect("a list").iter().filter_map(Value::as_str);
                    let missing = keys.filter(|key| value.as_object().is_some_and(|it| !it.contains_key(*key)));
                    self.found.extend(missing.map(|key| format!("{path}/{key} is missing")));
                    true
                }
                "properties" | "additionalProperties" => true,
                other => {
                    assert!(DESCRIBING.contains(&other), "{path}: the keyword {other} is not supported");
                    true
                }
            };
            if !is_met {
                self.found.push(format!("{path}: {value} is not {keyword} {rule}"));
            }
        }
        if let Some(object) = value.as_object() {
            self.keys(schema, object, path);
        }
    }

    fn keys(&mut self, schema: &Value, object: &Map<String, Value>, path: &str) {
        let (listed, others) = (schema.get("properties"), schema.get("additionalProperties"));
        for (key, value) in object {
            let path = format!("{path}/{key}");
            match (listed.and_then(|keys| keys.get(key)), others) {
                (Some(rule), _) => self.value(rule, value, &path),
                (None, Some(Value::Bool(true))) => {}
                (None, Some(rule)) => self.value(rule, value, &path),
                (None, None) if listed.is_some() => self.found.push(format!("{path} is not in the schema")),
                (None, None) => {}
            }
        }
    }

    fn of(&self, schema: &Value, value: &Value, path: &str) -> Vec<String> {
        let mut found = Vec::new();
        SchemaCheck { root: self.root, found: &mut found }.value(schema, value, path);
        found
    }
}

fn is_of_type(names: &Value, value: &Value) -> bool {
    let is_of = |name: &Value| match name.as_str().expect("a type's name") {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("there is no type {other}"),
    };
    names.as_array().map_or_else(|| is_of(names), |names| names.iter().any(is_of))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_mistake_is_found_with_its_path() {
        let schema = json!({
            "type": "object",
            "required": ["rows", "kind"],
            "properties": {
                "rows": {"type": "array", "items": {"anyOf": [{"$ref": "#/$defs/Row"}, {"type": "null"}]}},
                "kind": {"type": "string", "enum": ["a", "b"]},
                "more": {"type": "object", "additionalProperties": {"type": ["integer", "null"]}},
            },
            "$defs": {"Row": {"type": "object", "required": ["x"], "properties": {"x": {"type": "number"}}}},
        });
        let good = json!({"rows": [{"x": 1.5}, null], "kind": "a", "more": {"any": 1, "other": null}});
        assert_eq!(mistakes(&schema, &good), Vec::<String>::new());
        for (path, wrong, mistake) in [
            ("/kind", json!("c"), "/kind: \"c\" is not enum"),
            ("/more/any", json!(1.5), "/more/any: 1.5 is not type"),
            ("/rows/0", json!({"y": 1}), "/rows/0: {\"y\":1} is not type \"null\""),
            ("/rows", json!(null), "/rows: null is not type"),
        ] {
            let mut value = good.clone();
            *value.pointer_mut(path).expect("it is there") = wrong;
            assert!(mistakes(&schema, &value).iter().any(|found| found.starts_with(mistake)), "{mistake}");
        }
        assert_eq!(mistakes(&schema, &json!({"kind": "b", "z": 1})), ["/rows is missing", "/z is not in the schema"]);
    }
}
