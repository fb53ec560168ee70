//! Workloads at other scales.

use fsarena_model::{Scale, Workload};
use serde_json::Value;

use crate::{CatalogError, malformed};

/// The workload at `scale`: the values of its table `smoke` or `published` replace its usual values.
///
/// # Errors
/// If that table has a key that a workload does not have, or one that a scale cannot change.
pub fn at_scale(workload: Workload, scale: Scale) -> Result<Workload, CatalogError> {
    let other = match scale {
        Scale::Smoke => workload.smoke.clone(),
        Scale::Standard => None,
        Scale::Published => workload.published.clone().map(without_remark),
    };
    let Some(other) = other else { return Ok(workload) };
    let name = workload.name.clone();
    if let Some(identity) = IDENTITY.iter().find(|key| other.get(key).is_some()) {
        return Err(malformed(&name, &format!("the table of a scale cannot change `{identity}`")));
    }
    let mut value = serde_json::to_value(workload).map_err(|error| malformed(&name, &error.to_string()))?;
    merge(&mut value, &other);
    let of_value = serde_json::from_value(value).map_err(|error| malformed(&name, &error.to_string()));
    of_value.map(|workload: Workload| Workload { smoke: None, published: None, ..workload })
}

/// Keys that a scale cannot change, because it would be another workload.
const IDENTITY: [&str; 3] = ["name", "version", "engine"];

/// A workload at its published scale is not `scaled`, unless its table says so.
fn without_remark(mut published: Value) -> Value {
    if let Value::Object(fields) = &mut published {
        fields.entry("scaled").or_insert(Value::Null);
    }
    published
}

/// Which of `tables` has the name of `table`.
fn named(tables: &[Value], table: &Value) -> Option<usize> {
    let name = table.get("name")?;
    tables.iter().position(|known| known.get("name") == Some(name))
}

/// Tables are merged, also those in lists that have the same name; everything else is replaced.
fn merge(into: &mut Value, other: &Value) {
    match (into, other) {
        (Value::Object(into), Value::Object(other)) => {
            for (key, value) in other {
                merge(into.entry(key.clone()).or_insert(Value::Null), value);
            }
        }
        (Value::Array(into), Value::Array(other)) if other.iter().any(|table| named(into, table).is_some()) => {
            for table in other {
                match named(into, table) {
                    Some(index) => merge(&mut into[index], table),
                    None => into.push(table.clone()),
                }
            }
        }
        (into, other) => *into = other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn merged(mut into: Value, other: &Value) -> Value {
        merge(&mut into, other);
        into
    }

    #[test]
    fn tables_of_a_list_are_merged_by_name_and_new_ones_are_added() {
        let steps =
            json!({"shell": "bash", "steps": [{"name": "a", "starts": 9, "bytes": 1}, {"name": "b", "starts": 9}]});
        let scaled = json!({"steps": [{"name": "b", "starts": 2}, {"name": "c", "starts": 3}]});
        let expected = json!({"shell": "bash", "steps": [
            {"name": "a", "starts": 9, "bytes": 1}, {"name": "b", "starts": 2}, {"name": "c", "starts": 3},
        ]});
        assert_eq!(merged(steps, &scaled), expected);
    }

    #[test]
    fn other_lists_are_replaced() {
        assert_eq!(merged(json!({"sizes": [1, 2, 3]}), &json!({"sizes": [4]})), json!({"sizes": [4]}));
        assert_eq!(merged(json!([{"name": "a"}]), &json!([{"name": "b"}])), json!([{"name": "b"}]));
    }

    #[test]
    fn the_shells_loops_at_smoke_scale_keep_all_steps_and_start_few_programs() {
        let usual = crate::workload("axvisor-shell").expect("there");
        let smoke = at_scale(usual.clone(), Scale::Smoke).expect("sound");
        let steps = |workload: &Workload| workload.parameters["steps"].as_array().expect("steps").clone();
        let names = |workload: &Workload| steps(workload).iter().map(|step| step["name"].clone()).collect::<Vec<_>>();
        assert_eq!(names(&smoke), names(&usual));
        let most = |workload: &Workload| steps(workload).iter().filter_map(|step| step["starts"].as_u64()).max();
        assert_eq!((most(&usual), most(&smoke)), (Some(12_800), Some(100)));
    }
}
