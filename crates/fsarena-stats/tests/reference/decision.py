"""Writes decision.json: what NumPy, SciPy and statsmodels make of the decision rule; the tests have to agree with it.

    python3 -m venv venv && venv/bin/pip install -r requirements.txt && venv/bin/python decision.py

Written independently of the Rust code: trim_mean and winsorize for the rounds, limma's fitFDist for the prior, root
finders instead of halving, statsmodels' Holm where no logical restriction applies (two contenders).
"""
import itertools
import json
import pathlib

import numpy as np
from scipy import optimize, special, stats
from scipy.stats.mstats import winsorize
from statsmodels.stats.multitest import multipletests

ALPHA, MARGIN, WRONG_EQUIVALENCE = 0.05, np.log(1.05), 0.01
random = np.random.default_rng(20261122)


# ---------------------------------------------------------------- worlds
def world(contenders, sweeps_of, effects, slice_sd, round_sd, missing=0.0):
    """sweeps_of: per workload the number of sweeps of each round."""
    workloads = []
    for sweeps in sweeps_of:
        rounds = []
        for count in sweeps:
            level = 5 + np.array(effects) + round_sd * random.standard_normal(contenders)
            values = level + 0.3 * random.standard_normal((count, 1))
            values = values + slice_sd * random.standard_normal((count, contenders))
            rows = [[None if random.random() < missing else round(float(v), 5) for v in row] for row in values]
            rounds.append({"sweeps": rows})
        workloads.append({"contenders": contenders, "rounds": rounds})
    return workloads


# ---------------------------------------------------------------- rounds
def location(differences):
    cut = len(differences) // 4
    kept = len(differences) - 2 * cut
    value = stats.trim_mean(differences, 0.25)
    wins = np.asarray(winsorize(np.array(differences), limits=(0.25, 0.25)))
    variance = wins.var(ddof=0) * len(wins) / (kept * (kept - 1)) if kept > 1 else None
    return value, variance


def sample(workload, a, b):
    rounds = []
    for row in workload["rounds"]:
        paired = [s[a] - s[b] for s in row["sweeps"] if s[a] is not None and s[b] is not None]
        if paired:
            rounds.append(location(paired))
    values = np.array([value for value, _ in rounds])
    known = [variance for _, variance in rounds if variance is not None]
    return {
        "n": len(values),
        "mean": values.mean() if len(values) else 0.0,
        "s2": values.var(ddof=1) if len(values) > 1 else None,
        "within": np.mean(known) if 2 * len(known) > len(values) else None,
    }


# ---------------------------------------------------------------- variances (limma's fitFDist, with our own prior)
def moderate(workloads, samples):
    """samples: per workload a list over its pairs."""
    rows = [(w, p) for w, pairs in enumerate(samples) for p in pairs if p["n"] > 1]
    tau, members = {}, {}
    for has in (True, False):
        group = [(w, p) for w, p in rows if (p["within"] is not None) == has]
        members[has] = len({w for w, _ in group})
        log = lambda p: np.log(p["s2"]) - special.digamma((p["n"] - 1) / 2) + np.log((p["n"] - 1) / 2)
        surplus = lambda tau: sum(log(p) - np.log((p["within"] or 0) + tau) for _, p in group)
        tau[has] = 0.0
        if group and surplus(1e-13) > 0:
            tau[has] = optimize.brentq(surplus, 1e-13, 1e3, xtol=1e-15)
    contrasts = sum(w["contenders"] - 1 for w, pairs in zip(workloads, samples) if any(p["n"] > 1 for p in pairs))
    fitted = sum(count > 0 for count in members.values())
    excess, weight = 5 * special.polygamma(1, 1.5), 5.0
    if contrasts > fitted:
        e = [log(p) - np.log((p["within"] or 0) + tau[p["within"] is not None]) for _, p in rows]
        evar = np.sum(np.square(e)) / len(e) * contrasts / (contrasts - fitted)
        excess += contrasts * (evar - np.mean([special.polygamma(1, (p["n"] - 1) / 2) for _, p in rows]))
        weight += contrasts
    root = lambda x: special.polygamma(1, x) - excess / weight
    d0 = 50.0 if root(25.0) > 0 else 2 * optimize.brentq(root, 1e-3, 25.0, xtol=1e-12)
    for _, p in rows:
        f = p["n"] - 1
        has = p["within"] is not None
        prior = min(d0, f * (members[has] - 1))
        s2 = (prior * ((p["within"] or 0) + tau[has]) + f * p["s2"]) / (prior + f)
        p["error"] = np.sqrt(max(s2, p["within"] or 0) / p["n"])
        p["df"] = prior + f


# ---------------------------------------------------------------- budget
def tail(one_sided, progress, rounds):
    stage = max(0, int(np.ceil(np.log2(progress))))
    share = 0.7 if stage == 0 else 0.1 / (stage * (stage + 1))
    fraction = progress / 2**stage
    z = lambda p: stats.norm.isf(p * share)
    bound = max(z(one_sided), z(one_sided / 2) - 0.583 / np.sqrt(rounds / fraction))
    return max(stats.norm.sf(bound / np.sqrt(fraction)), 0.004 * one_sided, 1e-12)


def partitions(items):
    if not items:
        yield []
        return
    for smaller in partitions(items[1:]):
        for index, block in enumerate(smaller):
            yield smaller[:index] + [block + [items[0]]] + smaller[index + 1:]
        yield [[items[0]]] + smaller


def most_true_nulls(contenders, differing):
    """By trying all ways in which the contenders can be equal, for up to four contenders."""
    pairs = list(itertools.combinations(range(contenders), 2))
    best = 0
    for blocks in partitions(list(range(contenders))):
        equal = sum(any(a in block and b in block for block in blocks) for a, b in pairs)
        if len(pairs) - equal >= differing:
            best = max(best, equal)
    return best


def step_down(workloads, samples, progress, rounds):
    tests = []
    for w, pairs in enumerate(samples):
        for index, p in enumerate(pairs):
            if p["n"] >= 3:
                tests.append((stats.t.sf(abs(p["mean"]) / p["error"], p["df"]), w, index))
    differing = [0] * len(workloads)
    level = lambda: ALPHA / max(1, sum(most_true_nulls(w["contenders"], d) for w, d in zip(workloads, differing)))
    rejected = set()
    for p, w, index in sorted(tests):
        if p > tail(level() / 2, progress, rounds):
            break
        differing[w] += 1
        rejected.add((w, index))
    if all(w["contenders"] == 2 for w in workloads) and len(tests) == len(workloads):
        # Without logical restrictions this is Holm's procedure on p values that are scaled to the look.
        ps = np.array([p for p, _, _ in sorted(tests)])
        m = len(ps)
        looked = [p / (tail(ALPHA / (m - i) / 2, progress, rounds) / (ALPHA / (m - i))) for i, p in enumerate(ps)]
        holm = multipletests(looked, alpha=ALPHA, method="holm", is_sorted=True)[0]
        assert sum(holm) == len(rejected), (holm, rejected)
    return level()


def judge(workloads, progress):
    samples = [[sample(w, a, b) for a, b in itertools.combinations(range(w["contenders"]), 2)] for w in workloads]
    moderate(workloads, samples)
    rounds = max(p["n"] for pairs in samples for p in pairs)
    level = step_down(workloads, samples, progress, rounds)
    out = []
    for p in (p for pairs in samples for p in pairs):
        row = {"rounds": p["n"], "estimate": p["mean"] if p["n"] else None}
        if p["n"] > 1:
            half = lambda t: stats.t.isf(t, p["df"]) * p["error"]
            decisive = half(tail(level / 2, progress, rounds))
            equal = half(tail(WRONG_EQUIVALENCE, progress, rounds))
            row |= {"error": p["error"], "freedom": p["df"], "pointwise": half(0.025), "decision": decisive}
            verdict = "undecided"
            if p["n"] >= 3:
                if abs(p["mean"]) + equal < MARGIN:
                    verdict = "equivalent"
                elif abs(p["mean"]) > decisive:
                    verdict = "faster" if p["mean"] > 0 else "slower"
            row["verdict"] = verdict
            row["detectable"] = decisive + half(0.2)
        out.append(row)
    return {"workloads": workloads, "progress": progress, "pairs": out}


cases = [
    judge(world(3, [[8] * 5] * 4, [0, 0.1, 0.4], 0.2, 0.03), 1.0),
    judge(world(3, [[8] * 5] * 4, [0, 0.1, 0.4], 0.2, 0.03), 0.45),
    judge(world(2, [[1] * 6] * 6, [0, 0.2], 0.08, 0.02), 1.0),
    judge(world(2, [[24] * 6] * 8, [0, 0.0], 0.04, 0.002), 1.0),
    judge(world(4, [[6] * 7, [6] * 4, [1] * 7, [5, 6, 7], [1] * 5], [0, 0.3, 0.0, -0.2], 0.2, 0.05, 0.05), 0.8),
    judge(world(3, [[12] * 14, [12] * 9], [0, 0.1, 0.15], 0.2, 0.05), 1.5),
    judge(world(2, [[10] * 8], [0, 0.2], 0.2, 0.02), 1.0),
    judge(world(2, [[10] * 2, [10] * 3, []], [0, 0.9], 0.2, 0.02), 1.0),
]
path = pathlib.Path(__file__).with_name("decision.json")
path.write_text(json.dumps(cases, separators=(",", ":")))
print([[p.get("verdict", "-") for p in case["pairs"]] for case in cases])
