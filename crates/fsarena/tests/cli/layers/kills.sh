# Runs in a guest, on a file system with direct I/O. Kills runs at steps that make or remove layers or pools, and prints
# what is left after `clean`. The namespaces hide these runs from the one that does this work.
unshare -mn sh -s >out 2>&1 <<'END'
mount -t tmpfs none /var/lib/fsarena
cat >tiny.toml <<'WORKLOAD'
name = "tiny"
version = 1
measures = "Attributes of a few files."
why = "A test."
engine = "files"
durable = "none"
cache = "warm"
mode = "sliced"
slices = 2
warm-up-ms = 5
timed-ms = 30
metric = { name = "rate", unit = "files/s", measure = "operations-per-second", better = "higher" }
parameters = { operation = "stat", size = 1024, files = 100 }
WORKLOAD
seen() {
    ls -d /sys/block/* /dev/mapper/* /dev/fsarena* lanes/* /proc/spl/kstat/zfs/fsarena-* 2>/dev/null
    cat /sys/module/zfs/parameters/zfs_arc_max 2>/dev/null
    ls /var/lib/fsarena/ledger | grep -v '^lock$'
    wc -l </proc/mounts
}
victim() {
    rm -f inner.sqlite*
    FSARENA_FAULT=$1 /proc/1/exe --store inner.sqlite compare VICTIMS --rounds 1 --baselines never \
        --storage "$PWD/lanes" --workload "$PWD/tiny.toml" >said 2>&1
}
mkdir lanes
victim list@steps || cat said
before=$(seen)
for name in STEPS; do
    n=1
    while [ $n -le "$(grep -c " $name\$" steps)" ]; do
        victim "kill@$n:$name"
        [ $? = 137 ] || { echo "LEFT: not killed at $name $n"; cat said; }
        /proc/1/exe clean >cleaned 2>&1
        after=$(seen)
        if [ "$before" = "$after" ]; then
            echo "cleared after $name $n"
        else
            echo "LEFT after $name $n: $after"
            cat cleaned
        fi
        n=$((n + STRIDE))
    done
done
END
grep -A20 LEFT out >&2 && exit 1
grep -q cleared out || { cat out >&2; exit 1; }
echo "killed $(grep -c cleared out) times"
