#!/bin/bash
# Runs PostMark without fsarena and prints its transactions per second, which it computes from whole seconds. $1 is an
# empty folder on the file system, $2 a folder for logs.
set -euo pipefail
printf 'set location %s\nset transactions %s\nset size %s %s\nset number %s\nrun\nquit\n' \
    "$1" "$TRANSACTIONS" "$SMALLEST" "$LARGEST" "$FILES" > "$2/commands"
postmark "$2/commands" > "$2/said"
sed -n 's/.*seconds of transactions (\([0-9]*\) per second)/\1/p' "$2/said"
