#!/bin/sh
# Make the certificates of a cluster: deploy/dask/certificates.sh FOLDER
#
# FOLDER gets ca.pem and, for each role, ROLE.pem (the certificate) and ROLE.key. Whoever holds any of the keys can run code on the cluster, and
# in the account that grades. Give scheduler.* to the scheduler's machine, worker.* to the workers', client.* to whoever grades, and ca.pem to
# all. ca.key signs new certificates and belongs on none of them.
set -eu
[ $# -eq 1 ] || { echo "type: $0 FOLDER" >&2; exit 2; }
command -v openssl > /dev/null || { echo "openssl is missing: install the package openssl" >&2; exit 2; }
umask 077
mkdir -p "$1"
cd "$1"
[ ! -e ca.key ] || { echo "$1 has certificates already: name another folder" >&2; exit 2; }

curve="-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
openssl req -x509 $curve -days 365 -subj "/CN=nbjudge cluster" -keyout ca.key -out ca.pem 2> /dev/null
for role in scheduler worker client; do
    openssl req $curve -subj "/CN=$role" -keyout "$role.key" -out "$role.csr" 2> /dev/null
    openssl x509 -req -in "$role.csr" -CA ca.pem -CAkey ca.key -CAcreateserial -days 365 -out "$role.pem" 2> /dev/null
    rm "$role.csr"
done
echo "certificates for a year in $(pwd)"
