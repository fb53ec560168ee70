"""Writes the trace of a run: `python3 extract.py STORE.sqlite FIRST_ROUND LAST_ROUND 'title' | gzip -9n > NAME.trace.gz`.

The run is of contenders that are the same file system (`fsarena compare a=ext4 b=ext4 c=ext4 --rounds 60`). A trace has
a line per sweep: workload, round, sweep, and the natural logarithm of each contender's value ('-' where it is missing).
"""
import math
import sqlite3
import sys

store, first, last, title = sys.argv[1:]
rows = sqlite3.connect(f"file:{store}?mode=ro&immutable=1", uri=True).execute(
    "select t.workload, t.round, s.position, t.contender, s.value from slice s join trial t on s.trial = t.id"
    " where t.round between ? and ?", (first, last)).fetchall()
names = sorted({row[3] for row in rows})
sweeps = {}
for workload, label, position, contender, value in rows:
    sweeps.setdefault((workload, label, position // len(names)), {})[contender] = value
print(f"# {title}\n# contenders: {' '.join(names)}")
for (workload, label, sweep), values in sorted(sweeps.items()):
    logs = ["%.4f" % math.log(values[name]) if values.get(name) else "-" for name in names]
    print(workload, label, sweep, *logs)
