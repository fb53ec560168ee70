"""Writes the traces of a store: `python3 extract.py STORE.sqlite FIRST_ROUND LAST_ROUND 'title' yes|no > NAME.trace`.

A trace has a line per sweep: workload, round, sweep, and the natural logarithm of each contender's value ('-' where it
is missing). `# equal: yes` says that the contenders are the same file system (A/A), `no` that their means have to be
taken out before the trace is used as noise.
"""
import math
import sqlite3
import sys

store, first, last, title, equal = sys.argv[1:]
rows = sqlite3.connect(f"file:{store}?mode=ro&immutable=1", uri=True).execute(
    "select t.workload, t.round, s.position, t.contender, s.value from slice s join trial t on s.trial = t.id"
    " where t.round between ? and ?", (first, last)).fetchall()
names = sorted({row[3] for row in rows})
sweeps = {}
for workload, label, position, contender, value in rows:
    sweeps.setdefault((workload, label, position // len(names)), {})[contender] = value
print(f"# {title}\n# equal: {equal}\n# contenders: {' '.join(names)}")
for (workload, label, sweep), values in sorted(sweeps.items()):
    logs = ["%.4f" % math.log(values[name]) if values.get(name) else "-" for name in names]
    print(workload, label, sweep, *logs)
