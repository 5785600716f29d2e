#!/bin/sh
# Start a scheduler that speaks TLS alone: deploy/dask/scheduler.sh CERTIFICATES [HOST] [PORT]
set -eu
[ $# -ge 1 ] || { echo "type: $0 CERTIFICATES [HOST] [PORT]" >&2; exit 2; }
export DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION=True
# A submission that no worker is left for is reported as ungraded, instead of waiting for ever.
export DASK_DISTRIBUTED__SCHEDULER__NO_WORKERS_TIMEOUT="${DASK_DISTRIBUTED__SCHEDULER__NO_WORKERS_TIMEOUT:-300s}"
# No dashboard, which would show whoever asks what is being graded. Dask opens a port for it all the same: nothing is served there, and
# what opens it has to speak TLS.
export DASK_DISTRIBUTED__SCHEDULER__HTTP__ROUTES=[] DASK_DISTRIBUTED__SCHEDULER__DASHBOARD__TLS__CERT="$1/scheduler.pem" \
    DASK_DISTRIBUTED__SCHEDULER__DASHBOARD__TLS__KEY="$1/scheduler.key"
exec dask scheduler --protocol tls --host "${2:-127.0.0.1}" --port "${3:-8786}" \
    --tls-ca-file "$1/ca.pem" --tls-cert "$1/scheduler.pem" --tls-key "$1/scheduler.key" \
    --no-dashboard --dashboard-address 127.0.0.1:0
