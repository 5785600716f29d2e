#!/bin/sh
# Makes what jupyterhub_config.py relies on, and changes nothing that is there. As root:
#   deploy/hub/prepare.sh COURSE [FOLDER]        for example: deploy/hub/prepare.sh ml-2026-a /srv/course
# Before it, FOLDER/venv holds the course and JupyterHub, made with a Python that every account can read:
#   COURSE_VENV=/srv/course/venv make install PYTHON=/usr/bin/python3.12
#   /srv/course/venv/bin/pip install -c autograder/requirements.lock jupyterhub
set -eu
[ $# -ge 1 ] || { echo "type: $0 COURSE [FOLDER]" >&2; exit 2; }
course=$1
folder=${2:-/srv/course}
here=$(dirname "$(readlink -f "$0")")
grader=$course-grader

for role in students instructors; do
    groupadd -f "$course-$role"
done
id "$grader" > /dev/null 2>&1 || useradd --create-home --shell /bin/bash "$grader"
chmod 700 "$(getent passwd "$grader" | cut -d: -f6)"

# Everybody hands in there. The sticky bit keeps students from removing what is not theirs.
mkdir -p "$folder/exchange"
chmod 1777 "$folder/exchange"

mkdir -p "$folder/hub"
cp -R "$here/." "$folder/hub/"
echo "$course" > "$folder/hub/COURSE"
chmod -R a+rX,go-w "$folder/hub"
# The hub's database and the secret that signs cookies are root's.
mkdir -p "$folder/state"
chmod 700 "$folder/state"

"$here/can-start.sh" "$folder/venv" "$grader" "$folder/exchange"
