#!/bin/sh
# Start a scheduler that speaks TLS alone: deploy/dask/scheduler.sh CERTIFICATES [HOST] [PORT]
set -eu
[ $# -ge 1 ] || { echo "type: $0 CERTIFICATES [HOST] [PORT]" >&2; exit 2; }
export DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION=True
# No dashboard: it would show whoever asks what is being graded.
exec dask scheduler --protocol tls --host "${2:-127.0.0.1}" --port "${3:-8786}" \
    --tls-ca-file "$1/ca.pem" --tls-cert "$1/scheduler.pem" --tls-key "$1/scheduler.key" \
    --no-dashboard --dashboard-address 127.0.0.1:0
