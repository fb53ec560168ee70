#!/usr/bin/env python3
"""Writes the workload files of the experiment: for each workload of the catalogue that syncs each `batch` operations,
the same work whole with three sync intervals, and a program that does the same work with one sync at the end."""

import json
import pathlib
import tomllib

CATALOGUE = pathlib.Path(__file__).resolve().parents[2] / "catalog" / "workloads"
HERE = pathlib.Path(__file__).parent
# Scripts know the number of objects as `$count`.
COUNT = 5000

# Files of 1 KiB with incompressible contents in one folder, and an archive of them.
FILES = r'''
set -e
mkdir files
perl -e '
    srand $ENV{SEED};
    for my $number (0 .. $ENV{count} - 1) {
        open my $file, ">", sprintf("files/f%08d", $number) or die $!;
        print $file pack("L*", map { int rand 4294967296 } 1 .. 256) or die $!;
        close $file or die $!;
    }
'
tar --create --file files.tar --sort=name --mtime=@1700000000 --owner=0 --group=0 --numeric-owner \
    --mode=u=rwX,go= -C files .
'''

# The same files in four archives, each with every fourth file, as the workload's threads have them.
PARTS = FILES + r'''
for part in 0 1 2 3; do
    (cd files && ls) | awk -v part="$part" '(NR - 1) % 4 == part' > part
    tar --create --file "part$part.tar" --mtime=@1700000000 --owner=0 --group=0 --numeric-owner -C files -T "$PWD/part"
done
'''

# 20 files in each of 16 times 16 folders, with the sizes of the workload: lognormal, 1 to 64 KiB.
TREE = r'''
set -e
perl -e '
    srand $ENV{SEED};
    my $pool = pack("L*", map { int rand 4294967296 } 1 .. 1 << 20);
    my ($low, $high) = (log 1024, log 65536);
    mkdir "tree" or die $!;
    for my $number (0 .. $ENV{count} - 1) {
        my $folder = int($number / 20);
        my ($outer, $inner) = map { sprintf "b%03d", $_ } int($folder / 16), $folder % 16;
        -d $_ or mkdir $_ or die $! for "tree/$outer", "tree/$outer/$inner";
        my $normal = sqrt(-2 * log(1 - rand)) * cos(6.283185307179586 * rand);
        my $size = int exp(($low + $high) / 2 + ($high - $low) / 6 * $normal);
        $size = $size < 1024 ? 1024 : $size > 65536 ? 65536 : $size;
        open my $file, ">", sprintf("tree/$outer/$inner/f%08d", $number) or die $!;
        print $file substr($pool, int rand((4 << 20) - 65536), $size) or die $!;
        close $file or die $!;
    }
'
tar --create --file tree.tar --sort=name --mtime=@1700000000 --owner=0 --group=0 --numeric-owner -C tree .
'''

NAMES = 'seq -f "d%08.0f" 0 $((count - 1)) > names'
TARGETS = 'seq -f "../files/f%08.0f" 0 $((count - 1)) > targets'
SAME_FILES = 'diff -r "$INPUT/files" "new-$RUN" && [ "$(find "new-$RUN" -type f | wc -l)" = "$count" ]'
UNPACKED = 'mkdir files && tar xf "$INPUT/files.tar" -C files'

PROGRAMS = {
    "create": {
        "does": "tar unpacks 5,000 files of 1 KiB into one folder",
        "needs": ["tar"],
        "input": FILES,
        "script": 'mkdir "new-$RUN" && tar xf "$INPUT/files.tar" -C "new-$RUN"',
        "verify": SAME_FILES,
    },
    "create-threads": {
        "does": "four tars at the same time unpack 1,250 files of 1 KiB each into one folder",
        "needs": ["tar"],
        "input": PARTS,
        "script": r'''
mkdir "new-$RUN" || exit 1
started=()
for part in 0 1 2 3; do
    tar xf "$INPUT/part$part.tar" -C "new-$RUN" &
    started+=($!)
done
for tar in "${started[@]}"; do
    wait "$tar" || exit 1
done
''',
        "verify": SAME_FILES,
    },
    "tree-create": {
        "does": "tar unpacks a tree of 5,120 files of 1 to 64 KiB, most of them small, in 256 folders",
        "count": 5120,
        "needs": ["tar"],
        "input": TREE,
        "script": 'mkdir "new-$RUN" && tar xf "$INPUT/tree.tar" -C "new-$RUN"',
        "verify": SAME_FILES.replace("/files", "/tree"),
        "data": "256M",
    },
    "delete": {
        "does": "rm -rf removes a folder of 5,000 files of 1 KiB",
        "needs": ["rm"],
        "input": FILES,
        "before": 'mkdir "old-$RUN" && tar xf "$INPUT/files.tar" -C "old-$RUN"',
        "script": 'rm -rf "old-$RUN"',
        "verify": '[ "$(tar tf "$INPUT/files.tar" | grep -c f)" = "$count" ] && [ -z "$(ls -A)" ]',
    },
    "rename": {
        "does": "perl renames 5,000 files of 1 KiB within their folder",
        "needs": ["perl"],
        "input": FILES,
        "prepare": UNPACKED,
        "script": r'''
perl -e '
    my ($from, $to) = $ENV{RUN} % 2 ? ("f", "g") : ("g", "f");
    chdir "files" or die $!;
    for my $old (glob "$from*") {
        my $new = $to . substr $old, 1;
        rename $old, $new or die $!;
    }
'
''',
        "verify": r'''
[ $((RUN % 2)) = 1 ] && letter=g || letter=f
[ "$(find files -type f -name "$letter*" | wc -l)" = "$count" ]
''',
    },
    "chmod": {
        "does": "chmod -R changes the permissions of 5,000 files of 1 KiB in one folder",
        "slices": 4,  # Its runs take less than 0.1 s.
        "needs": ["chmod"],
        "input": FILES,
        "prepare": UNPACKED,
        "script": '[ $((RUN % 2)) = 1 ] && change=g+r || change=g-r\nchmod -R "$change" files',
        "verify": r'''
[ $((RUN % 2)) = 1 ] && mode=640 || mode=600
[ "$(find files -type f -perm "$mode" | wc -l)" = "$count" ]
''',
    },
    "utimes": {
        "does": "touch sets the times of 5,000 files of 1 KiB in one folder",
        "slices": 4,  # Its runs take less than 0.1 s.
        "needs": ["touch", "find"],
        "input": FILES,
        "prepare": UNPACKED,
        "script": 'find files -type f -exec touch --no-create --date="@$((1000000000 + RUN))" {} +',
        "verify": r'''
time=$((1000000000 + RUN))
[ "$(find files -type f -printf '%Ts\n' | grep -c "^$time$")" = "$count" ]
''',
    },
    "xattr-set": {
        "does": "setfattr replaces an extended attribute of 32 bytes on 5,000 files of 1 KiB in one folder",
        "slices": 4,  # Its runs take less than 0.1 s.
        "needs": ["setfattr", "find"],
        "input": FILES,
        "prepare": r'''
set -e
mkdir files
tar xf "$INPUT/files.tar" -C files
find files -type f -exec setfattr -n user.fsarena -v "fsarena fsarena fsarena 00000000" {} +
''',
        "script": r'''
printf -v value 'fsarena fsarena fsarena %08d' "$RUN"
find files -type f -exec setfattr -n user.fsarena -v "$value" {} +
''',
        "verify": r'''
printf -v value 'fsarena fsarena fsarena %08d' "$RUN"
[ "$(find files -type f -exec getfattr --only-values -n user.fsarena {} + | grep -o "$value" | wc -l)" = "$count" ]
''',
    },
    "link": {
        "does": "cp -al makes a folder of hard links to 5,000 files of 1 KiB",
        "needs": ["cp"],
        "input": FILES,
        "prepare": UNPACKED,
        "script": 'cp -al files "links-$RUN"',
        "verify": '[ "$(find "links-$RUN" -type f -links "$((RUN + 1))" | wc -l)" = "$count" ]',
    },
    "symlink": {
        "does": "ln -s makes 5,000 symbolic links with short targets in one folder",
        "needs": ["ln", "xargs"],
        "input": TARGETS,
        "script": 'mkdir "new-$RUN" && xargs -a "$INPUT/targets" ln -s -t "new-$RUN"',
        "verify": r'''
[ "$(wc -l < "$INPUT/targets")" = "$count" ] &&
    find "new-$RUN" -type l -printf "%l\n" | sort | cmp - "$INPUT/targets"
''',
    },
    "mkdir": {
        "does": "mkdir makes 5,000 folders in one folder",
        "needs": ["mkdir", "xargs"],
        "input": NAMES,
        "script": 'mkdir "new-$RUN" && cd "new-$RUN" && xargs -a "$INPUT/names" mkdir',
        "verify": r'''
[ "$(wc -l < "$INPUT/names")" = "$count" ] &&
    find "new-$RUN" -mindepth 1 -type d -printf "%f\n" | sort | cmp - "$INPUT/names"
''',
    },
    "rmdir": {
        "does": "rmdir removes 5,000 empty folders from one folder",
        "needs": ["rmdir", "xargs"],
        "input": NAMES,
        "before": 'mkdir "old-$RUN" && cd "old-$RUN" && xargs -a "$INPUT/names" mkdir',
        "script": 'cd "old-$RUN" && xargs -a "$INPUT/names" rmdir',
        "verify": '[ "$(wc -l < "$INPUT/names")" = "$count" ] && [ "$(find "old-$RUN" | wc -l)" = 1 ]',
    },
}

PACKAGES = {
    "tar": "tar", "perl": "perl-base", "setfattr": "attr", "find": "findutils", "xargs": "findutils",
}

# These work on the same files again and again, so only the clock ends them: milliseconds, for about 2,000 (Btrfs) to
# 20,000 operations. Runs with one sync have a single batch of all files, after which their time of 1 ms is over.
ENDED_BY_CLOCK = ("rename", "chmod", "utimes", "xattr-set")
TIMED_MS = 250


def text(value):
    if isinstance(value, str) and "\n" in value:
        return "'''\n" + value.strip("\n") + "\n'''"
    if isinstance(value, str) and '"' in value:
        return f"'{value}'" if "'" not in value else "'''" + value + "'''"
    if isinstance(value, list):
        return "[" + ", ".join(text(item) for item in value) + "]"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {text(item)}" for key, item in value.items()) + " }"
    return json.dumps(value)


def write(workload):
    tables = ("metric", "parameters")
    lines = [f"{key} = {text(value)}" for key, value in workload.items() if key not in tables]
    for table in tables:
        lines += ["", f"[{table}]"] + [f"{key} = {text(value)}" for key, value in workload[table].items()]
    content = "\n".join(lines) + "\n"
    assert tomllib.loads(content)["name"] == workload["name"]
    (HERE / f"{workload['name']}.toml").write_text(content)


def synthetic(name, label, batch, timed_ms):
    """The workload of the catalogue, whole, with another sync interval."""
    whole = tomllib.loads((CATALOGUE / f"{name}-syncfs.toml").read_text())
    for key in ("warm-up-ms", "timed-ms", "agrees-from-ms", "slices", "smoke", "published"):
        whole.pop(key, None)
    parameters = whole["parameters"] | {"batch": batch}
    if name == "tree-create":
        parameters["fan-out"] = 16
    else:
        parameters["files"] = COUNT
    interval = "once, at the end" if label == "once" else f"after each {batch} operations"
    each = " of each thread" if name == "create-threads" else ""
    whole |= {
        "name": f"{name}-{label}",
        "version": 1,
        "measures": f"The work of {name}-syncfs, whole: about 5,000 operations, with a syncfs {interval}{each}.",
        "why": "Shows how the sync interval changes the ranking.",
        "mode": "whole",
        "parameters": parameters,
    }
    if timed_ms:
        whole["timed-ms"] = timed_ms
    write(whole)


def program(name, task):
    parameters = {
        "needs": [{"program": each, "package": PACKAGES.get(each, "coreutils")} for each in task["needs"]],
        "shell": "bash",
        "operations": task.get("count", COUNT),
        "variables": {"count": task.get("count", COUNT)},
        "data": task.get("data", "128M"),
    }
    parameters |= {key: task[key] for key in ("input", "prepare", "before", "script", "verify") if key in task}
    write({
        "name": f"{name}-program",
        "version": 1,
        "measures": f"Seconds until {task['does']}, and the result is durable.",
        "why": f"What {name}-syncfs stands for, done by a real program that is synced once, at the end.",
        "engine": "program",
        "durable": "syncfs",
        "cache": "warm",
        "mode": "sliced",
        "slices": task.get("slices", 2),
        "metric": {"name": "time", "unit": "s", "measure": "seconds", "better": "lower"},
        "parameters": parameters,
    })


for name, task in PROGRAMS.items():
    by_clock, threads = name in ENDED_BY_CLOCK, 4 if name == "create-threads" else 1
    synthetic(name, "b50", 50, TIMED_MS if by_clock else None)
    synthetic(name, "b500", 500, TIMED_MS if by_clock else None)
    # One batch holds all operations of a thread.
    synthetic(name, "once", task.get("count", COUNT) // threads, 1 if by_clock else None)
    program(name, task)
