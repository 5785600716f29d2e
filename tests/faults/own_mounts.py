"""A private mount namespace for a grading run that things go wrong in: mounts on request, and
nothing of it outlives the process.

    unshare … python own_mounts.py COURSE DISK_MB -- COMMAND…

The course folder is copied onto a small disk of its own at /mnt/course. COMMAND may write lines to
the descriptor STAGE_ASK, each a command for the namespace's root, and reads the exit status of each
from STAGE_TOLD.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys

PLACE = "/mnt/course"


def start(course: str, command: list[str], disk_mb: int = 64) -> list[str]:
    """The command line that stages `command` for whoever runs the tests: root as root, anybody else
    as root of a user namespace.
    """
    who = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    own = [sys.executable, "-P", __file__, course, str(disk_mb), "--"]
    return ["unshare", *who, "--mount", "--propagation", "private", *own, *command]


def ask(command: str) -> None:
    """From the staged command: have the namespace's root run a shell command."""
    os.write(int(os.environ["STAGE_ASK"]), command.encode() + b"\n")
    told = os.read(int(os.environ["STAGE_TOLD"]), 16)
    if told != b"0\n":
        raise RuntimeError(f"{command} ended with {told!r}")


def main() -> int:
    course, disk_mb, _, *command = sys.argv[1:]
    user = int(os.environ.get("STAGE_USER", "0"))
    back = ["unshare", "--user", f"--map-user={user}", f"--map-group={user}"] if user else []
    shell = f"mount -t tmpfs -o size={disk_mb}m,mode=755 none /mnt && cp -a {shlex.quote(course)} {PLACE}"
    subprocess.run(["sh", "-ec", shell], check=True)
    asked_read, asked = os.pipe()
    told, told_write = os.pipe()
    environment = os.environ | {"STAGE_ASK": str(asked), "STAGE_TOLD": str(told)}
    process = subprocess.Popen([*back, *command], pass_fds=(asked, told), env=environment)
    os.close(asked)
    with open(asked_read) as lines:
        for line in lines:
            status = subprocess.run(["sh", "-ec", line], check=False).returncode
            os.write(told_write, f"{status}\n".encode())
    return process.wait()


if __name__ == "__main__":
    sys.exit(main())
