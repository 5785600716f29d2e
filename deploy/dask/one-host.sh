#!/bin/sh
# A cluster on this machine, until you press Ctrl-C: deploy/dask/one-host.sh FOLDER [WORKERS] [PORT]
#
# FOLDER holds the certificates, which are made if it has none. Then grade with
#   course grade day-50 --scheduler tls://127.0.0.1:8786 --tls-ca FOLDER/ca.pem --tls-cert FOLDER/client.pem --tls-key FOLDER/client.key
set -eu
[ $# -ge 1 ] || { echo "type: $0 FOLDER [WORKERS] [PORT]" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
port=${3:-8786}
[ -e "$1/ca.pem" ] || "$here/certificates.sh" "$1"
children=""
trap 'kill $children 2> /dev/null; wait' EXIT
trap 'exit 0' INT TERM
"$here/scheduler.sh" "$1" 127.0.0.1 "$port" &
children="$!"
for _ in $(seq "${2:-2}"); do
    "$here/worker.sh" "$1" "tls://127.0.0.1:$port" &
    children="$children $!"
done
wait
