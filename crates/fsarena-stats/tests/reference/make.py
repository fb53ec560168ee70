"""Writes reference.json: what SciPy and statsmodels make of trends and changes, for the crate's tests to agree with.

    python3 -m venv venv && venv/bin/pip install -r requirements.txt && venv/bin/python make.py

`decision.py` does the same for the decision rule.
"""
import json
import pathlib

import numpy as np
from scipy import special, stats
from statsmodels.stats.meta_analysis import combine_effects
from statsmodels.stats.oneway import anova_oneway
from statsmodels.stats.weightstats import CompareMeans, DescrStatsW

ALPHA = 0.05
random = np.random.default_rng(20261120)


def effect(size, half):
    return {"size": float(size), "interval": [float(size - half), float(size + half)]}


def trend(count, slope, gap=0):
    times = np.delete(np.arange(1, count + gap + 1), range(2, 2 + gap))
    values = 7 + slope * times + 0.02 * random.standard_normal(count)
    line = stats.linregress(times, values)
    half = stats.t.isf(ALPHA / 2, count - 2) * line.stderr
    return {"times": times.tolist(), "values": values.tolist(), **effect(line.slope, half)}


def within_rounds(rounds, slices):
    """The last half of the slices against the first: a t-test of the changes."""
    trials = random.standard_normal((rounds, 1)) + 0.03 * random.standard_normal((rounds, slices)) - 0.02 * np.arange(slices)
    changes = [t[-(slices // 2) :].mean() - t[: slices // 2].mean() for t in trials]
    low, high = stats.ttest_1samp(changes, 0).confidence_interval(1 - ALPHA)
    return {"trials": trials.tolist(), **effect((low + high) / 2, (high - low) / 2)}


def suite_ratio(parts):
    """The mean of independent estimates, with the degrees of freedom of Welch and Satterthwaite."""
    estimate, error, freedom = (np.array(column) for column in zip(*parts))
    square = error**2
    together = float(square.sum() ** 2 / (square**2 / freedom).sum())
    half = stats.t.isf(ALPHA / 2, together) * np.sqrt(square.sum()) / len(parts)
    mean = float(np.log(stats.gmean(np.exp(estimate))))
    return {"parts": parts, "estimate": mean, "freedom": together, "interval": [mean - half, mean + half]}


def welch():
    """Two workloads whose errors are those of two samples: statsmodels has the same degrees of freedom."""
    a, b = random.standard_normal(5), 3 * random.standard_normal(9)
    parts = [[float(x.mean()), float(x.std(ddof=1) / np.sqrt(len(x))), float(len(x) - 1)] for x in (a, b)]
    freedom = CompareMeans(DescrStatsW(a), DescrStatsW(b)).dof_satt()
    assert abs(freedom - suite_ratio(parts)["freedom"]) < 1e-9
    return suite_ratio(parts)


# Trials of BCG against tuberculosis (Colditz et al. 1994): cases and others, vaccinated and not. R's metafor has the
# variance of Paule and Mandel as .3181 for their relative risks.
BCG = [(4, 119, 11, 128), (6, 300, 29, 274), (3, 228, 11, 209), (62, 13536, 248, 12619), (33, 5036, 47, 5761),
       (180, 1361, 372, 1079), (8, 2537, 10, 619), (505, 87886, 499, 87892), (29, 7470, 45, 7232), (17, 1699, 65, 1600),
       (186, 50448, 141, 27197), (5, 2493, 3, 2338), (27, 16886, 29, 17825)]


def pooled(estimate, square):
    """Random effects by statsmodels: Paule and Mandel's variance, Hartung and Knapp's interval."""
    count = len(estimate)
    made = combine_effects(estimate, square, method_re="iterated", use_t=True, atol=1e-13)
    weights = 1 / square
    typical = (count - 1) * weights.sum() / (weights.sum() ** 2 - (weights**2).sum())
    half = stats.t.isf(ALPHA / 2, count - 2) * np.sqrt(made.tau2 + made.sd_eff_w_re_hksj**2)
    return {"machines": [[float(x), float(np.sqrt(v))] for x, v in zip(estimate, square)],
            "estimate": float(made.mean_effect_re), "mean": [float(x) for x in made.conf_int()[3]],
            "further": [float(made.mean_effect_re - half), float(made.mean_effect_re + half)],
            "deviation": float(np.sqrt(made.tau2)), "share": float(made.tau2 / (made.tau2 + typical))}


def bcg():
    a, b, c, d = (np.array(column) for column in zip(*BCG))
    made = pooled(np.log(a / (a + b) * (c + d) / c), 1 / a - 1 / (a + b) + 1 / c - 1 / (c + d))
    assert abs(made["deviation"] ** 2 - 0.3181) < 5e-5
    return made


def alike(counts, apart):
    """Welch's test of several means by statsmodels."""
    samples = [apart * i + (1 + i) * random.standard_normal(count) for i, count in enumerate(counts)]
    machines = [[float(x.mean()), float(x.std(ddof=1) / np.sqrt(len(x))), len(x) - 1.0] for x in samples]
    return {"machines": machines, "alike": float(anova_oneway(samples, use_var="unequal").pvalue)}


def main():
    freedoms = [1.0, 1.3, 2.0, 2.5, 3.0, 4.0, 5.7, 7.0, 9.0, 12.0, 20.5, 33.0, 100.0, 1000.0]
    tails = [0.45, 0.2, 0.1, 0.025, 0.005, 0.0025, 2.5e-4, 8.3e-5, 1.6e-5, 1e-8, 1e-12]
    content = {
        "student": [[df, tail, float(stats.t.isf(tail, df))] for df in freedoms for tail in tails
                    if df >= 2 or tail > 1e-6],  # the rule needs no more, and statrs cannot
        "digamma": [[x, float(special.digamma(x))] for x in (0.5, 1.0, 1.5, 2.0, 3.5, 5.0, 11.0, 40.0)],
        "trends": [trend(count, slope, gap) for count, slope, gap in ((3, 0.1, 0), (4, 0.0, 0), (12, 0.01, 3), (40, 0.001, 0))],
        "suite_ratios": [
            suite_ratio([[0.05, 0.01, 6.0], [-0.02, 0.03, 9.5], [0.11, 0.02, 4.0], [0.0, 0.005, 20.0]]), welch()],
        "within_rounds": [within_rounds(rounds, slices) for rounds, slices in ((3, 2), (6, 4), (9, 5))],
        "pooled": [bcg(), pooled(np.array([0.31, 0.12, 0.55]), np.array([0.0004, 0.0009, 0.0025]))],
        "alike": [alike(*world) for world in (((4, 6), 1.0), ((3, 5, 9), 0.5), ((5, 5, 5, 12), 2.0))],
    }
    path = pathlib.Path(__file__).with_name("reference.json")
    path.write_text(json.dumps(content, indent=None, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
