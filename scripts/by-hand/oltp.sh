#!/bin/bash
# Runs sysbench's oltp_read_write on MariaDB without fsarena and prints the mean latency in ms. $1 is an empty folder on
# the file system, $2 a folder for sockets and logs.
set -euo pipefail
lane=$1 run=$2
# The package mariadb-server creates the user mysql; without it the user is nobody, as in fsarena.
user=mysql
getent passwd $user > /dev/null || user=nobody
group=$(id -gn $user)
install -d -o $user -g $group -m 750 "$lane/mysql" "$run/mysql"
mariadb-install-db --no-defaults --user=$user --datadir="$lane/mysql" --auth-root-authentication-method=normal \
    --skip-test-db --skip-name-resolve > /dev/null
start() {
    setpriv --reuid=$user --regid=$group --clear-groups mariadbd --no-defaults --datadir="$lane/mysql" --socket="$run/mysql/s" \
        --pid-file="$run/mysql/pid" --skip-networking --log-error="$run/mysql/log" --tmpdir="$lane/mysql" --skip-name-resolve \
        --performance-schema=OFF --skip-log-bin --max-connections=400 --innodb-buffer-pool-size="$BUFFER_POOL" \
        --innodb-log-file-size=96M --innodb-flush-log-at-trx-commit=1 --innodb-doublewrite=1 --innodb-flush-method=O_DIRECT \
        --innodb-buffer-pool-dump-at-shutdown=0 --innodb-buffer-pool-load-at-startup=0 --query-cache-type=0 &
    local server=$! end=$((SECONDS + 60))
    until mariadb-admin --no-defaults --socket="$run/mysql/s" -uroot ping > /dev/null 2>&1; do
        if ! kill -0 $server 2> /dev/null || [ $SECONDS -ge $end ]; then echo "no server: $run/mysql/log" >&2; exit 1; fi
        sleep 0.05
    done
}
stop() { mariadb-admin --no-defaults --socket="$run/mysql/s" -uroot shutdown; wait; }
trap 'kill $(jobs -p) 2> /dev/null || true' EXIT
start
mariadb --no-defaults --socket="$run/mysql/s" -uroot -e 'CREATE DATABASE sbtest'
sb() {
    sysbench oltp_read_write --db-driver=mysql --mysql-socket="$run/mysql/s" --mysql-user=root --mysql-db=sbtest \
        --tables="$TABLES" --table-size="$TABLE_SIZE" --rand-seed=42 --rand-type=uniform "$@"
}
sb --threads=4 prepare > /dev/null
stop
sync
echo 3 > /proc/sys/vm/drop_caches
start
sb --threads="$THREADS" --time="$TIME" run > "$run/said"
stop
awk '/^ +avg:/ { print $2; exit }' "$run/said"
