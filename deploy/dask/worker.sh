#!/bin/sh
# Start a worker: deploy/dask/worker.sh CERTIFICATES SCHEDULER [SUBMISSIONS AT ONCE], where SCHEDULER is tls://HOST:PORT
set -eu
[ $# -ge 2 ] || { echo "type: $0 CERTIFICATES tls://HOST:PORT [SUBMISSIONS AT ONCE]" >&2; exit 2; }
export DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION=True OMP_NUM_THREADS=1
# As in scheduler.sh; Dask reads a worker's certificate for this port from the scheduler's settings, too.
export DASK_DISTRIBUTED__WORKER__HTTP__ROUTES=[] DASK_DISTRIBUTED__SCHEDULER__DASHBOARD__TLS__CERT="$1/worker.pem" \
    DASK_DISTRIBUTED__SCHEDULER__DASHBOARD__TLS__KEY="$1/worker.key"
# Tries the sandbox, and says which version can grade here: Dask gives a submission only to workers of the version that asks.
offer=$(python -P -m nbjudge.grading.cluster.worker)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# Submissions run in boxes with limits of their own, so the worker needs none. --nanny starts it anew when it ends.
dask worker "$2" --nthreads "${3:-1}" --resources "$offer=${3:-1}" --nworkers 1 --nanny --memory-limit 0 --death-timeout 60 --local-directory "$folder" \
    --tls-ca-file "$1/ca.pem" --tls-cert "$1/worker.pem" --tls-key "$1/worker.key" \
    --no-dashboard --dashboard-address 127.0.0.1:0 &
child=$!
trap 'kill $child 2> /dev/null' INT TERM
wait $child
