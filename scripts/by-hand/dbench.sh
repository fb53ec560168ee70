#!/bin/bash
# Runs dbench without fsarena and prints throughput in MiB/s (dbench's MB are 10^6 bytes). $1 is an empty folder on the
# file system, $2 a folder for logs.
set -euo pipefail
dbench -c /usr/share/dbench/client.txt -D "$1" -t "$TIME" "$CLIENTS" > "$2/said"
awk '/^Throughput/ { print $2 / 1.048576 }' "$2/said"
