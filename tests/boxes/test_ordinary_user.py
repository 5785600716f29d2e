"""The sandbox's other mode: a suite run by root runs tests of this folder again as an ordinary
user, with user namespaces.
"""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from nbjudge.boxes import mounts

pytestmark = pytest.mark.xdist_group("boxes-ordinary-user")
UID = 54321
# What differs between the modes is how a box is started: the walls and limits that follow from it.
# The others hold inside any box.
AGAIN = ("test_walls.py", "test_no_processes.py", "test_launch.py")
ALL = (*AGAIN, "test_limits.py", "test_probes.py", "test_template.py")


@pytest.mark.parametrize(
    "again", [pytest.param(AGAIN, id="walls"), pytest.param(ALL, id="all", marks=pytest.mark.slow)]
)
def test_boxes_hold_for_an_ordinary_user_too(again):
    if os.geteuid() != 0:
        return  # every other test has just shown it
    here = Path(__file__).parent
    tests = [str(here / name) for name in again]
    words = [
        sys.executable,
        "-P",
        "-m",
        "pytest",
        "-q",
        "-x",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        "--noconftest",
        "--rootdir",
        str(here),
        *tests,
    ]
    script = _make_readable([*mounts.prefixes(), str(here.parent)]) + _drop(words)
    command = ["unshare", "--mount", "--propagation", "private", "sh", "-ec", script]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout[-4000:] + ended.stderr[-2000:]


def _make_readable(folders: list[str]) -> str:
    """Shell lines that make folders below closed ones (such as root's home) reachable for
    everybody, in this mount namespace alone.
    """
    lines = []
    for folder in folders:
        closed = [
            str(parent)
            for parent in reversed(Path(folder).parents)
            if not parent.stat().st_mode & 0o001
        ]
        if closed:
            kept = f"/mnt/{len(lines)}"
            lines += [
                f"mount -t tmpfs -o mode=755 none /mnt; mkdir -p {kept}; mount --bind {shlex.quote(folder)} {kept}"
            ]
            lines += [
                f"mount -t tmpfs -o mode=755 none {shlex.quote(closed[0])}; mkdir -p {shlex.quote(folder)}"
            ]
            lines += [f"mount --bind {kept} {shlex.quote(folder)}"]
    return "\n".join(lines) + "\n"


def _drop(words: list[str]) -> str:
    home = "$(mktemp -d)"
    return (
        f"home={home}; chmod 777 $home; cd /; export HOME=$home TMPDIR=$home; cd $home\n"
        f"exec setpriv --reuid {UID} --regid {UID} --clear-groups --inh-caps=-all -- {shlex.join(words)}\n"
    )
