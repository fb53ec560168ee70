#!/bin/bash
# dbench by hand: $1 is an empty folder on the file system, $2 one for logs; throughput in MiB/s: its MB are 10^6 bytes.
set -euo pipefail
dbench -c /usr/share/dbench/client.txt -D "$1" -t "$TIME" "$CLIENTS" > "$2/said"
awk '/^Throughput/ { print $2 / 1.048576 }' "$2/said"
