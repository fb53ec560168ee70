//! The consolidated results of kdevops' Milvus workflow: one entry per run, with the host's name in `_file`.

use fsarena_lane::kind::named_in;
use serde_json::Value;

use super::time::moment;
use super::{File, ReadError, positive};
use crate::Measured;

pub fn knows(value: &Value) -> bool {
    value["raw_results"][0]["query_performance"].as_object().is_some()
}

/// The figures of each run. As in the authors' own report, the contender is the file system in the host's name.
pub fn read(file: &File<'_>, value: &Value) -> Result<Vec<Measured>, ReadError> {
    let mut rows = Vec::new();
    for (number, run) in value["raw_results"].as_array().into_iter().flatten().enumerate() {
        let place = format!("{}, run {}", file.name, number + 1);
        let own = run["_file"].as_str().ok_or_else(|| ReadError::malformed(&place, "it has no `_file`"))?;
        let host = host(own);
        let row = |figure: Measured| Measured {
            contender: named_in(&host).unwrap_or(&host).to_owned(),
            time: run["timestamp"].as_str().and_then(|text| Some(moment(text)?.0)),
            host: Some(host.clone()),
            recorded: run["filesystem"].as_str().map(str::to_owned),
            ..file.row(number + 1, figure)
        };
        let insert = positive(&run["insert_performance"]["vectors_per_second"]);
        rows.extend(insert.map(|rate| row(Measured::rate("insert", rate, "vectors/s"))));
        let index = positive(&run["index_performance"]["creation_time_seconds"]);
        rows.extend(index.map(|time| row(Measured::seconds("index", time))));
        for (depth, batches) in run["query_performance"].as_object().into_iter().flatten() {
            for (batch, figures) in batches.as_object().into_iter().flatten() {
                let rate = positive(&figures["queries_per_second"]);
                rows.extend(rate.map(|rate| row(Measured::rate(format!("{depth} {batch}"), rate, "queries/s"))));
            }
        }
    }
    Ok(rows)
}

/// `results_prod-ai-xfs-4k-4ks-dev_1.json` is of the host `prod-ai-xfs-4k-4ks-dev`.
fn host(file: &str) -> String {
    let name = file.trim_start_matches("results_").trim_end_matches(".json");
    name.rsplit_once('_').map_or(name, |(host, _)| host).to_owned()
}
