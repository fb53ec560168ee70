"""Writes reference.json: what SciPy and plain linear algebra make of the recipe, for the crate's tests to agree with.

    python3 -m venv venv && venv/bin/pip install numpy scipy statsmodels && venv/bin/python make.py

Written independently of the Rust code: dense design matrix, pseudo-inverse, root finder, linear search. Only the
choices that the recipe leaves open are shared; they are marked CHOICE.
"""
import json
import pathlib

import numpy as np
from scipy import optimize, special, stats
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.weightstats import CompareMeans, DescrStatsW

ALPHA, MARGIN, FIRST, LAST, LIMIT = 0.05, 0.05, 4, 12, 1000
random = np.random.default_rng(20261120)


# ---------------------------------------------------------------- worlds
def latin(contenders, rounds):
    rows = []
    while len(rows) < rounds:
        names = random.permutation(contenders)
        for row in random.permutation(contenders):
            rows.append([int(names[(row + i) % contenders]) for i in range(contenders)])
    return rows[:rounds]


def workload(contenders, rounds, deviation, effects=None, lanes="latin", bias=0.0, drift=0.0):
    effects = effects or [0.0] * contenders
    schedule = {
        "latin": lambda: latin(contenders, rounds),
        "none": lambda: [[None] * contenders] * rounds,
        "fixed": lambda: [list(range(contenders))] * rounds,
        "one per round": lambda: [[r % 2] * contenders for r in range(rounds)],
        "last without": lambda: [row + [None] for row in latin(contenders - 1, rounds)],
    }[lanes]()
    biases = bias * random.standard_normal(contenders)
    noise = random.standard_normal(contenders)
    observations = []
    for r, row in enumerate(schedule):
        level = 7.0 + random.standard_normal()
        for i, lane in enumerate(row):
            y = level + effects[i] + deviation * noise[i] + (0.0 if lane is None else biases[lane])
            observations.append([r + 1, i, lane, y])
        noise = drift * noise + np.sqrt(1 - drift**2) * random.standard_normal(contenders)
    return {"contenders": contenders, "observations": observations}


# ---------------------------------------------------------------- steps 3 and 4
def columns(data, with_lanes):
    k, seen = data["contenders"], data["observations"]
    rounds = sorted({o[0] for o in seen})
    design = [[float(o[0] == r) for o in seen] for r in rounds]
    design += [[float(o[1] == i) - float(o[1] == k - 1) for o in seen] for i in range(k - 1)]
    lanes = sorted({o[2] for o in seen if o[2] is not None})
    if with_lanes:
        design += [[float(o[2] == lane) - float(o[2] == lanes[-1]) for o in seen] for lane in lanes[:-1]]
    return np.array(design).T, len(rounds)


def contrast(k, n, width, a, b):
    vector = np.zeros(width)
    for contender, sign in ((a, 1.0), (b, -1.0)):
        if contender == k - 1:
            vector[n : n + k - 1] -= sign
        else:
            vector[n + contender] += sign
    return vector


def fit(data):
    k = data["contenders"]
    y = np.array([o[3] for o in data["observations"]])
    bare, n = columns(data, False)
    full, _ = columns(data, True)
    lanes = full[:, bare.shape[1] :]
    away_rounds = np.eye(len(y)) - bare[:, :n] @ np.linalg.pinv(bare[:, :n])
    away_both = np.eye(len(y)) - bare @ np.linalg.pinv(bare)
    # CHOICE: the lanes are left out where any of their effects cannot be told from contenders.
    useful = np.linalg.matrix_rank(away_rounds @ lanes, tol=1e-8) if lanes.size else 0
    apart = np.linalg.matrix_rank(away_both @ lanes, tol=1e-8) if lanes.size else 0
    design = full if apart == useful else bare
    term = "absent" if useful == 0 else "fitted" if apart == useful else "confounded"
    inverse = np.linalg.pinv(design)
    beta, covariance = inverse @ y, np.linalg.pinv(design.T @ design)
    residuals = (y - design @ beta).reshape(n, k)
    order = [(a, b) for a in range(k) for b in range(a + 1, k)]
    hold = {p: contrast(k, n, design.shape[1], *p) for p in order}
    return {
        "D": design, "inverse": inverse, "hold": hold,
        "k": k, "n": n, "lane_term": term, "f": len(y) - int(np.linalg.matrix_rank(design)),
        "e": residuals, "pairs": order,
        "estimate": {p: float(v @ beta) for p, v in hold.items()},
        "c": {p: float(v @ covariance @ v) for p, v in hold.items()},
    }


# ---------------------------------------------------------------- steps 5 to 9
def pooled(m):
    return 2 * (m["e"] ** 2).sum() / m["f"]


def typical(fits):
    usable = [m for m in fits if m["f"] > 0 and pooled(m) > 1e-20]
    if len(usable) < 4:
        return None
    logs = [np.log(pooled(m)) - special.digamma(m["f"] / 2) + np.log(m["f"] / 2) for m in usable]
    return float(np.exp(np.mean(logs)))


def echo(m, rho):
    """Exact expectations for the design, with dense matrices: the ratio of von Neumann, and how much more the mean
    variance of a pair's estimate is than the residuals say."""
    n, k, design = m["n"], m["k"], m["D"]
    sigma = np.kron(rho ** np.abs(np.subtract.outer(np.arange(n), np.arange(n))), np.eye(k))
    residual = np.eye(n * k) - design @ m["inverse"]
    steps = np.kron(np.diff(np.eye(n), axis=0), np.eye(k)) @ residual
    expected = {"residual": np.trace(residual @ sigma @ residual.T), "step": np.trace(steps @ sigma @ steps.T)}
    effects = [v @ m["inverse"] for v in m["hold"].values()]
    variance = sum(w @ sigma @ w for w in effects) / sum(w @ w for w in effects)
    return expected["step"] / expected["residual"], variance / (expected["residual"] / np.trace(residual))


def guard(fits):
    telling = [m for m in fits if m["f"] >= m["k"] and pooled(m) > 1e-20]
    if not telling:
        return None, 0.0
    ratios = []
    for m in telling:  # sums over all pairs, literally
        d = np.array([m["e"][:, a] - m["e"][:, b] for a, b in m["pairs"]])
        ratios.append((np.diff(d) ** 2).sum() / (d**2).sum())
    freedoms = [m["f"] for m in telling]
    q = float(np.average(ratios, weights=freedoms))

    def expected(rho):
        return np.average([echo(m, rho)[0] for m in telling], weights=freedoms)

    if q >= expected(-0.7):
        rho = -0.7
    elif q <= expected(0.7):
        rho = 0.7
    else:
        rho = optimize.brentq(lambda r: expected(r) - q, -0.7, 0.7, xtol=1e-14)
    cells = sum(m["f"] - (m["k"] - 1) for m in telling)
    rho += 0.5 / np.sqrt(cells) + 1.5 / cells
    return q, float(np.clip(rho, 0, 0.7))


def remaining(df, rho):
    return max(min(2.0, df), df * (1 - rho**2) / (1 + rho**2))


# ---------------------------------------------------------------- steps 1, 10 to 13
def weight(k, n):
    first = max(FIRST, k // 2 + 1)
    last = max(LAST, first)
    if n < first:
        return 0.0
    return 0.9 / (last - first + 1) if n <= last else 0.1 / ((n - last) * (n - last + 1))


def price(m, rho, moderated, family, estimate, difference, equivalence):
    upper = [s2 * df / stats.chi2.ppf(0.2, df) for s2, df in (difference, equivalence)]
    gone = 2 if m["lane_term"] == "fitted" else 1
    for n in range(m["n"] + 1, LIMIT + 1):
        w = weight(m["k"], n)
        df = min((m["k"] - 1) * (n - gone), n - gone + 4)
        if w == 0 or df <= 0:
            continue
        prior = min(6, (m["k"] - 1) * (n - gone)) if moderated else 0
        winner = stats.t.isf(ALPHA * w / (2 * family), remaining(df + prior, rho)) * np.sqrt(upper[0] / n)
        same = stats.t.isf(ALPHA * w, remaining(df, rho)) * np.sqrt(upper[1] / n)
        if winner < abs(estimate) or same < np.log1p(MARGIN) - abs(estimate):
            return n
    return None


def decide_pair(m, p, s0, rho, family):
    estimate, c, n = m["estimate"][p], m["c"][p], m["n"]
    out = {"a": p[0], "b": p[1], "estimate": estimate, "c": c, "verdict": "undecided"}
    if m["f"] == 0:
        return out | {"pointwise": None, "decision": None, "needs_rounds": None}
    nu = m["f"] / (m["k"] - 1)
    pool = pooled(m)
    own = ((m["e"][:, p[0]] - m["e"][:, p[1]]) ** 2).sum() * (m["k"] - 1) / m["f"]
    df = min(m["f"], nu + 4)
    s2, df_same = max(pool, (nu * own + (df - nu) * pool) / df), df
    out |= {"pooled": pool, "own": own, "shared": s2, "shared_freedom": df}
    if s0 is not None:
        prior = min(6, m["f"])
        s2, df = max(s2, (prior * s0 + df * s2) / (prior + df)), df + prior
    factor = max(1.0, echo(m, rho)[1])
    s2, same = s2 * factor, max(pool, own) * factor
    df, df_same = remaining(df, rho), remaining(df_same, rho)
    out |= {"square": s2, "freedom": df, "equivalence_square": same, "equivalence_freedom": df_same}

    def interval(tail):
        half = stats.t.isf(tail, df) * np.sqrt(s2 * c / 2)
        return [estimate - half, estimate + half]

    out["pointwise"] = interval(ALPHA / 2)  # CHOICE: one pair, one look
    w = weight(m["k"], n)
    out["decision"] = interval(ALPHA * w / (2 * family)) if w else None
    if w and abs(estimate) + stats.t.isf(ALPHA * w, df_same) * np.sqrt(same * c / 2) < np.log1p(MARGIN):
        out["verdict"] = "equivalent"
    elif w and out["decision"][0] > 0:
        out["verdict"] = "better"
    elif w and out["decision"][1] < 0:
        out["verdict"] = "worse"
    undecided = out["verdict"] == "undecided"
    out["needs_rounds"] = price(m, rho, s0 is not None, family, estimate, (s2, df), (same, df_same)) if undecided else None
    return out


def suite(name, workloads):
    fits = [fit(data) for data in workloads]
    family = sum(len(m["pairs"]) for m in fits)
    s0, (q, rho) = typical(fits), guard(fits)
    expected = [
        {"rounds": m["n"], "freedom": m["f"], "lane_term": m["lane_term"],
         "dependence": [[rho, *echo(m, rho)] for rho in (-0.5, 0.0, 0.3, 0.5, 0.9)] if m["f"] else [],
         "pairs": [decide_pair(m, p, s0, rho, family) for p in m["pairs"]]}
        for m in fits
    ]
    return {"name": name, "workloads": workloads, "typical": s0, "q": q, "rho": rho, "expected": expected}


def suites():
    step = [0.0, 0.1, 0.02]
    return [
        suite("incomplete Latin squares of 3, lane bias, different rounds",
              [workload(3, n, 0.02, step, bias=0.05) for n in (4, 5, 7, 4, 8)]),
        suite("two contenders, few workloads", [workload(2, n, 0.03, [0.0, 0.06]) for n in (5, 6)]),
        suite("six contenders, five rounds", [workload(6, 5, 0.01, [0, 0, 0.05, 0.1, 0, 0.02]) for _ in range(4)]),
        suite("drift", [workload(3, 12, 0.02, step, drift=0.7) for _ in range(4)]),
        suite("beyond the planned last look", [workload(3, 15, 0.06, step) for _ in range(3)]),
        suite("no lanes", [workload(4, n, 0.03, [0, 0.01, 0.04, 0.2], lanes="none") for n in (4, 6, 9, 12)]),
        suite("one contender without lane", [workload(3, 6, 0.02, step, lanes="last without", bias=0.05)]),
        suite("lanes never changed", [workload(3, 6, 0.02, step, lanes="fixed", bias=0.05)]),
        suite("one lane for all of a round", [workload(3, 6, 0.02, step, lanes="one per round", bias=0.05)]),
        suite("too early", [workload(3, n, 0.02, step) for n in (1, 2, 3)] + [workload(2, 2, 0.02, lanes="none")]),
    ]


# ---------------------------------------------------------------- beyond the recipe
def effect(size, half):
    return {"size": float(size), "interval": [float(size - half), float(size + half)]}


def trend(count, slope, gap=0):
    times = np.delete(np.arange(1, count + gap + 1), range(2, 2 + gap))
    values = 7 + slope * times + 0.02 * random.standard_normal(count)
    line = stats.linregress(times, values)
    half = stats.t.isf(ALPHA / 2, count - 2) * line.stderr
    return {"times": times.tolist(), "values": values.tolist(), **effect(line.slope, half)}


def outliers(values):
    distance = np.abs(values - np.median(values)) / stats.median_abs_deviation(values, scale="normal")
    return {"values": values.tolist(), "outliers": np.flatnonzero(distance > 3.5).tolist()}


def standing_out():
    calm = [0.02 * random.standard_normal(count) for count in (5, 8, 12)]
    wild = [np.append(values, [0.3]) for values in calm] + [np.append(calm[2], [-0.2, 0.25])]
    return [outliers(values) for values in calm + wild]


def within_rounds(rounds, slices):
    """The last half of the slices against the first: a t-test of the changes."""
    trials = random.standard_normal((rounds, 1)) + 0.03 * random.standard_normal((rounds, slices)) - 0.02 * np.arange(slices)
    changes = [t[-(slices // 2) :].mean() - t[: slices // 2].mean() for t in trials]
    low, high = stats.ttest_1samp(changes, 0).confidence_interval(1 - ALPHA)
    return {"trials": trials.tolist(), **effect((low + high) / 2, (high - low) / 2)}


def carry_over(contenders, rounds, sweeps, gain):
    """Dummies of all trials, the position, and the predecessor, by statsmodels' OLS; seen from contender 0."""
    trials = []
    for _ in range(rounds):
        order, row = [], random.permutation(contenders)
        for sweep in range(sweeps):
            row = random.permutation(contenders) if sweep % 2 == 0 else row[::-1]
            order += row.tolist()
        level = random.standard_normal()
        trials.append([[p, int(order[p - 1] == 0), level + gain * (order[p - 1] == 0) - 0.01 * p
                        + 0.02 * random.standard_normal()] for p in range(1, len(order)) if order[p] == 0])
    rows = [(t, *step) for t, trial in enumerate(trials) for step in trial]
    design = [[float(r[0] == t) for t in range(rounds)] + [r[1], r[2]] for r in rows]
    model = OLS([r[3] for r in rows], design).fit()
    low, high = model.conf_int(ALPHA)[-1]
    assert np.linalg.matrix_rank(design) == rounds + 2
    return {"trials": trials, **effect(model.params[-1], (high - low) / 2)}


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


def main():
    freedoms = [1.0, 1.3, 2.0, 2.5, 3.0, 4.0, 5.7, 7.0, 9.0, 12.0, 20.5, 33.0, 100.0, 1000.0]
    tails = [0.45, 0.2, 0.1, 0.025, 0.005, 0.0025, 2.5e-4, 8.3e-5, 1.6e-5, 1e-8, 1e-12]
    content = {
        "student": [[df, tail, float(stats.t.isf(tail, df))] for df in freedoms for tail in tails
                    if df >= 2 or tail > 1e-6],  # the recipe needs no more, and statrs cannot
        "chi_squared": [[df, p, float(stats.chi2.ppf(p, df))] for df in freedoms for p in (0.01, 0.2, 0.5, 0.9)],
        "digamma": [[x, float(special.digamma(x))] for x in (0.5, 1.0, 1.5, 2.0, 3.5, 5.0, 11.0, 40.0)],
        "suites": suites(),
        "trends": [trend(count, slope, gap) for count, slope, gap in ((3, 0.1, 0), (4, 0.0, 0), (12, 0.01, 3), (40, 0.001, 0))],
        "outliers": standing_out(),
        "suite_ratios": [
            suite_ratio([[0.05, 0.01, 6.0], [-0.02, 0.03, 9.5], [0.11, 0.02, 4.0], [0.0, 0.005, 20.0]]), welch()],
        "within_rounds": [within_rounds(rounds, slices) for rounds, slices in ((3, 2), (6, 4), (9, 5))],
        "carry_over": [carry_over(*world) for world in ((2, 4, 4, 0.05), (3, 9, 6, 0.0), (6, 5, 8, -0.02))],
    }
    path = pathlib.Path(__file__).with_name("reference.json")
    path.write_text(json.dumps(content, indent=None, separators=(",", ":")).replace('{"name"', '\n{"name"') + "\n")


if __name__ == "__main__":
    main()
