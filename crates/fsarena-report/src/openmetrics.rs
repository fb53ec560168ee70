//! OpenMetrics text (<https://github.com/OpenObservability/OpenMetrics>), which Prometheus also reads.

use fsarena_model::Comparison;
use fsarena_model::comparison::{Cell, LatencyHistogram};

use crate::visible;

type Labels<'a> = Vec<(&'a str, String)>;

/// The comparison as metrics. What could not be read is left out.
pub fn render(comparison: &Comparison) -> String {
    let mut page = MetricsPage { text: String::new(), run: comparison.run.number };
    let environment = &comparison.environment;
    page.family("fsarena_run_info", "gauge", "The run.");
    page.sample(
        "fsarena_run_info",
        vec![
            ("started", comparison.run.started.clone()),
            ("kernel", environment.kernel.clone().unwrap_or_default()),
            ("processor", environment.cpu.clone().unwrap_or_default()),
            ("plan_hash", comparison.run.plan_hash.clone()),
        ],
        Some(1.0),
    );
    for (name, help, value) in FIGURES {
        page.family(name, "gauge", help);
        for cell in comparison.cells.iter().filter(|cell| cell.is_plausible()) {
            let further = [("metric", cell.metric.clone()), ("unit", cell.unit.clone())];
            page.sample(name, place(cell).into_iter().chain(further).collect(), value(cell));
        }
    }
    page.family("fsarena_ratio", "gauge", "How many times better the contender is than the other one.");
    for pair in &comparison.judged.verdicts {
        let labels = vec![
            ("workload", pair.workload.clone()),
            ("contender", pair.a.to_string()),
            ("against", pair.b.to_string()),
            ("verdict", pair.verdict.to_string()),
        ];
        page.sample("fsarena_ratio", labels, pair.estimate.ratio);
    }
    page.family("fsarena_probe", "gauge", "Median over rounds of a counter or a latency, in the unit of its label.");
    for cell in &comparison.cells {
        for (probe, reading) in &cell.probes {
            let further = [("probe", probe.to_string()), ("unit", reading.unit.clone())];
            page.sample("fsarena_probe", place(cell).into_iter().chain(further).collect(), reading.value);
        }
    }
    page.family("fsarena_latency_seconds", "histogram", "Latencies of an operation over the rounds that count.");
    for cell in &comparison.cells {
        cell.latencies.histograms.iter().for_each(|histogram| page.histogram(cell, histogram));
    }
    page.text + "# EOF\n"
}

/// A figure of a cell: its name, what it is, and its value.
type CellMetric = (&'static str, &'static str, fn(&Cell) -> Option<f64>);

const FIGURES: [CellMetric; 3] = [
    ("fsarena_median", "Median over rounds, in the unit of its label.", |cell| cell.figure.median),
    ("fsarena_low", "Lower end of the 95 % interval of the median.", |cell| cell.figure.low),
    ("fsarena_high", "Upper end of the 95 % interval of the median.", |cell| cell.figure.high),
];

fn place(cell: &Cell) -> Labels<'static> {
    vec![("workload", cell.workload.clone()), ("contender", cell.contender.to_string())]
}

struct MetricsPage {
    text: String,
    run: i64,
}

impl MetricsPage {
    fn family(&mut self, name: &str, kind: &str, help: &str) {
        self.text += &format!("# TYPE {name} {kind}\n# HELP {name} {help}\n");
    }

    fn sample(&mut self, name: &str, labels: Labels<'_>, value: Option<f64>) {
        let Some(value) = value.filter(|value| value.is_finite()) else { return };
        let labels = std::iter::once(("run", self.run.to_string())).chain(labels);
        let labels: Vec<String> = labels.map(|(name, text)| format!("{name}=\"{}\"", escaped(&text))).collect();
        self.text += &format!("{name}{{{}}} {value}\n", labels.join(","));
    }

    /// Buckets count everything up to their bound.
    fn histogram(&mut self, cell: &Cell, histogram: &LatencyHistogram) {
        let labels = |bound: Option<String>| -> Labels<'_> {
            let own = [("operation", histogram.operation.clone())].into_iter().chain(bound.map(|bound| ("le", bound)));
            place(cell).into_iter().chain(own).collect()
        };
        let mut count = 0;
        for bucket in &histogram.buckets {
            count += bucket.count;
            let bound = labels(Some(bound(bucket.at_most)));
            self.sample("fsarena_latency_seconds_bucket", bound, Some(count as f64));
        }
        self.sample("fsarena_latency_seconds_bucket", labels(Some("+Inf".to_owned())), Some(count as f64));
        self.sample("fsarena_latency_seconds_count", labels(None), Some(count as f64));
        let seconds = histogram.counts.iter().map(|it| it.at_most.as_seconds() * it.count as f64).sum();
        self.sample("fsarena_latency_seconds_sum", labels(None), Some(seconds));
    }
}

/// A bound as the format wants it: `1e-06`, `0.001`, `1.0`.
fn bound(seconds: f64) -> String {
    let text = format!("{seconds:?}");
    match text.split_once("e-") {
        Some((digits, exponent)) => format!("{digits}e-{exponent:0>2}"),
        None => text,
    }
}

/// Backslashes, quotes and line ends are escaped.
fn escaped(text: &str) -> String {
    visible(text).replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
