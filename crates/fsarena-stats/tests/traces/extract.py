"""Writes the trace of a run:
`fsarena export RUN | python3 extract.py FIRST_ROUND LAST_ROUND 'title' | gzip -9n > NAME.trace.gz`.

The run is of contenders that are the same file system (`fsarena compare a=ext4 b=ext4 c=ext4 --rounds 60`). A trace has
a line per sweep: workload, round, sweep, and the natural logarithm of each contender's value ('-' where it is missing).
"""
import json
import math
import sys

first, last, title = sys.argv[1:]
events = [json.loads(line).get("event", {}) for line in sys.stdin]
trials = [event["trial"] for event in events if "trial" in event]
trials = [trial for trial in trials if int(first) <= trial["round"] <= int(last)]
names = sorted({trial["contender"] for trial in trials})
sweeps = {}
for trial in trials:
    for one in trial["slices"]:
        key = (trial["workload"], trial["round"], one["position"] // len(names))
        sweeps.setdefault(key, {})[trial["contender"]] = one["value"]
print(f"# {title}\n# contenders: {' '.join(names)}")
for (workload, label, sweep), values in sorted(sweeps.items()):
    logs = ["%.4f" % math.log(values[name]) if values.get(name) else "-" for name in names]
    print(workload, label, sweep, *logs)
