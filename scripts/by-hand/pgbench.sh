#!/bin/bash
# Runs pgbench without fsarena and prints transactions per second. $1 is an empty folder on the file system, $2 a folder
# for sockets and logs.
set -euo pipefail
cd /
lane=$1 run=$2 bin=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1)
install -d -o postgres -g postgres -m 700 "$lane/pg" "$run/pg"
as() { setpriv --reuid=postgres --regid=postgres --clear-groups env HOME="$lane/pg" LC_ALL=C "$@"; }
as "$bin/initdb" -D "$lane/pg" -U postgres --encoding=SQL_ASCII --locale=C --auth=trust --no-instructions > /dev/null
cat >> "$lane/pg/postgresql.conf" <<CONF
listen_addresses = ''
unix_socket_directories = '$run/pg'
fsync = on
synchronous_commit = on
full_page_writes = on
wal_sync_method = fdatasync
shared_buffers = 64MB
max_connections = 120
max_wal_size = 384MB
checkpoint_timeout = 5min
autovacuum = off
CONF
start() { as "$bin/pg_ctl" -D "$lane/pg" -l "$run/pg/log" -w -t 60 start > /dev/null; }
stop() { as "$bin/pg_ctl" -D "$lane/pg" -m fast -w stop > /dev/null; }
start
trap 'stop 2> /dev/null || true' EXIT
as "$bin/createdb" -h "$run/pg" -U postgres pgbench
as "$bin/pgbench" -h "$run/pg" -U postgres -i -q -s "$SCALE" pgbench 2> /dev/null
as "$bin/psql" -q -h "$run/pg" -U postgres -c CHECKPOINT
stop
sync
echo 3 > /proc/sys/vm/drop_caches
start
as "$bin/pgbench" -h "$run/pg" -U postgres -n -c "$CLIENTS" -j 2 -t "$TRANSACTIONS" --random-seed=42 pgbench > "$run/said"
sed -n 's/^tps = \([0-9.]*\) (without.*/\1/p' "$run/said"
