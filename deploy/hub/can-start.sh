#!/bin/sh
# Can an account of the hub start the course's environment, and hand in? As root:
#   deploy/hub/can-start.sh ENVIRONMENT ACCOUNT [EXCHANGE]
# for example: deploy/hub/can-start.sh /srv/course/.venv ada /srv/exchange
set -eu
[ $# -ge 2 ] || { echo "type: $0 ENVIRONMENT ACCOUNT [EXCHANGE]" >&2; exit 2; }
group=$(id -g "$2")
account=$2
as() { setpriv --reuid="$account" --regid="$group" --clear-groups -- "$@"; }
for file in "$1/bin/python" "$1/bin/jupyter-lab" "$1/bin/course"; do
    as cat "$file" > /dev/null || {
        echo "$account cannot read $file, which is $(readlink -f "$file"): make the environment anew with a Python outside all homes," \
            "for example make install PYTHON=/usr/bin/python3.12" >&2
        exit 1
    }
done
as env HOME=/nonexistent "$1/bin/python" -P -c "import nbjudge, nbgrader, jupyterlab" || {
    echo "$account starts $1/bin/python, and it cannot import the course: see the line above" >&2
    exit 1
}
[ $# -lt 3 ] || as test -w "$3" -a -x "$3" || {
    echo "$account may not write into the exchange: type chmod 777 $3" >&2
    exit 1
}
echo "$account can start $1${3:+ and hand in through $3}"
