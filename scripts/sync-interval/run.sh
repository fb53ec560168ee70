#!/bin/bash
# Runs the experiment: FSARENA=/path/of/fsarena ./run.sh [FAMILY...]. Reports are FAMILY.json; ./table.py prints the
# table. ROUNDS [6] and LANE_SIZE [4G] may be set. About 11 minutes on a quiet machine for all families.
cd "$(dirname "$0")" || exit 1
: "${FSARENA:?is the path of the binary}"
store=$PWD/store.sqlite
families=("$@")
if [ $# = 0 ]; then
    families=(create create-threads tree-create delete rename chmod utimes xattr-set link symlink mkdir rmdir)
fi

failed=()
for family in "${families[@]}"; do
    began=$SECONDS
    workloads=()
    for variant in b50 b500 once program; do
        workloads+=(--workload "./$family-$variant.toml")
    done
    rm -f "$family.json"
    # Exit code 3: a trial did not finish, or something was left behind. The report has what was measured.
    "$FSARENA" --store "$store" compare ext4 xfs btrfs "${workloads[@]}" \
        --rounds "${ROUNDS:-6}" --lane-size "${LANE_SIZE:-4G}" --baselines never > "$family.txt"
    status=$?
    [ "$status" = 0 ] || failed+=("$family ($status)")
    if [ "$status" = 0 ] || [ "$status" = 3 ]; then
        "$FSARENA" --store "$store" report last --format json > "$family.json" || failed+=("report of $family")
    fi
    echo "$family: $((SECONDS - began)) s" >&2
    [ "$status" != 130 ] || break
done
if [ "${#failed[@]}" -gt 0 ]; then
    echo "failed: ${failed[*]}" >&2
    exit 1
fi
