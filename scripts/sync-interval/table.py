#!/usr/bin/env python3
"""Prints the table of the experiment from the reports FAMILY.json in this folder."""

import json
import math
import pathlib

HERE = pathlib.Path(__file__).parent
FAMILIES = [
    "create", "create-threads", "tree-create", "delete", "rename", "chmod", "utimes", "xattr-set", "link", "symlink",
    "mkdir", "rmdir",
]
VARIANTS = ["b50", "b500", "once", "program"]
OTHERS = ["xfs", "btrfs"]
DECIDED = ("faster", "slower", "equivalent")


def verdicts(family):
    """The verdicts of a family by variant and by the contender with which ext4 is compared."""
    path = HERE / f"{family}.json"
    if not path.exists():
        return {}
    pairs = json.loads(path.read_text())["verdicts"]
    pairs = [pair for pair in pairs if pair["a"] == "ext4" and pair["b"] in OTHERS]
    return {(pair["workload"].removeprefix(f"{family}-"), pair["b"]): pair for pair in pairs}


def is_decided(pair):
    return pair is not None and pair["verdict"] in DECIDED


def cell(pair):
    if pair is None or pair["ratio"] is None:
        return "–"
    ratio = f"{pair['ratio']:.2f}"
    ratio = f"**{ratio}**" if is_decided(pair) else ratio
    sign = " ≈" if pair["verdict"] == "equivalent" else ""
    invalid = " (invalid)" if pair["verdict"] == "invalid" else ""
    if pair["low"] is None or pair["high"] is None:
        return f"{ratio}{sign} [?]{invalid}"
    return f"{ratio}{sign} [{pair['low']:.2f}, {pair['high']:.2f}]{invalid}"


def agreement(pair, program):
    """Whether two verdicts rank alike; `–` if they are not both decided."""
    if not (is_decided(pair) and is_decided(program)):
        return "–"
    verdicts = {pair["verdict"], program["verdict"]}
    if len(verdicts) == 1:
        return "yes"
    return "**no: opposite**" if "equivalent" not in verdicts else "**no: one is equal**"


def median(values):
    values = sorted(values)
    middle = len(values) // 2
    return values[middle] if len(values) % 2 else (values[middle - 1] + values[middle]) / 2


def summary(found, variant):
    """Counts of agreement of a variant with the program, and the median factor between both ratios."""
    pairs = [(each.get((variant, other)), each.get(("program", other))) for each in found.values() for other in OTHERS]
    answers = [agreement(pair, program) for pair, program in pairs]
    known = [both for both in pairs if all(pair is not None and pair["ratio"] for pair in both)]
    factors = [abs(math.log(pair["ratio"] / program["ratio"])) for pair, program in known]
    typical = f"{math.exp(median(factors)):.2f}" if factors else "–"
    largest = f"{math.exp(max(factors)):.2f}" if factors else "–"
    opposite, equal = (sum(word in answer for answer in answers) for word in ("opposite", "one is equal"))
    cells = [variant, answers.count("yes"), opposite, equal, answers.count("–"), typical, largest]
    return f"| {' | '.join(str(cell) for cell in cells)} |"


def main():
    found = {family: verdicts(family) for family in FAMILIES}
    print("Time of the other contender divided by that of ext4: above 1.00 ext4 is faster. Bold: decided; ≈: equal.")
    print("In brackets: the 95 % interval.\n")
    print("| workload | ext4 / | sync after 50 | 500 | once | the program | at 50 as the program |")
    print("|---|---|---|---|---|---|---|")
    for family, each in found.items():
        for other in OTHERS:
            name = f"{family}-syncfs" if other == OTHERS[0] else ""
            cells = [cell(each.get((variant, other))) for variant in VARIANTS]
            answer = agreement(each.get(("b50", other)), each.get(("program", other)))
            print(f"| {' | '.join([name, other, *cells, answer])} |")
    print("\nAgreement with the program: pairs, and the factor between both ratios.\n")
    print("| sync after | same ranking | opposite | one is equal | not both decided | median factor | largest |")
    print("|---|---|---|---|---|---|---|")
    for variant in VARIANTS[:-1]:
        print(summary(found, variant))


main()
