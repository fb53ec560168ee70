#!/bin/bash
# Runs ab against Apache without fsarena and prints requests per second. $1 is an empty folder on the file system, $2 a
# folder for logs.
set -euo pipefail
cd /
lane=$1 run=$2 port=$((20000 + RANDOM % 20000))
install -d -o www-data -g www-data -m 755 "$lane/pages" "$run/apache"
head -c 3064 /dev/urandom > "$lane/pages/test.html"
cat > "$run/apache/httpd.conf" <<CONF
ServerRoot "$run/apache"
DefaultRuntimeDir "$run/apache"
PidFile "$run/apache/pid"
ServerName localhost
Listen 127.0.0.1:$port
LoadModule mpm_prefork_module /usr/lib/apache2/modules/mod_mpm_prefork.so
LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
LoadModule mime_module /usr/lib/apache2/modules/mod_mime.so
TypesConfig "$run/apache/types"
StartServers 5
MinSpareServers 5
MaxSpareServers 10
MaxRequestWorkers 150
KeepAlive Off
EnableMMAP On
EnableSendfile On
ErrorLog "$run/apache/errors"
LogFormat "%h %l %u %t \"%r\" %>s %b" common
CustomLog "$lane/pages.log" common
DocumentRoot "$lane/pages"
<Directory "/">
AllowOverride None
Require all granted
</Directory>
CONF
echo "text/html html" > "$run/apache/types"
touch "$lane/pages.log"
chown www-data "$lane/pages.log"
setpriv --reuid=www-data --regid=www-data --clear-groups apache2 -d "$run/apache" -f "$run/apache/httpd.conf" -D FOREGROUND &
server=$!
SECONDS=0
trap 'kill $server 2> /dev/null || true; wait' EXIT
until (exec 3<> /dev/tcp/127.0.0.1/$port) 2> /dev/null; do
    if ! kill -0 $server 2> /dev/null || [ $SECONDS -ge 60 ]; then echo "no server: $run/apache/errors" >&2; exit 1; fi
    sleep 0.05
done
ab -q -r -n "$REQUESTS" -c "$CLIENTS" "http://127.0.0.1:$port/test.html" > "$run/said"
sed -n 's/^Requests per second: *\([0-9.]*\).*/\1/p' "$run/said"
