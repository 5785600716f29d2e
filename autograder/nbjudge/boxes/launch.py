"""The command that starts a box, in one of its two safe modes.

An ordinary user gets a user namespace. Real root gets none, because root's own id inside a user
namespace still owns the host's `/proc/sys`; instead the mounts are made as root, and `setpriv` then
drops to an unprivileged user id inside the box.

Nothing that the box can write exists on the host. The program is the box's process 1, which no
process inside can kill.
"""

from __future__ import annotations

import os
import re
import resource
import shutil
import subprocess
import sys
from functools import lru_cache

from nbjudge.boxes import mounts
from nbjudge.boxes.errors import SandboxUnavailable
from nbjudge.boxes.limits import FILES, Limits

MIN_BWRAP = (0, 7, 0)
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_USER = 1000
_SHARED_MEMORY_BYTES = 256 << 20
_START = "nbjudge.boxes.inside.start"
_PYTHON = (sys.executable, "-I", "-X", "utf8", "-m")
_COMMON = (
    *("--die-with-parent", "--new-session", "--hostname", "box"),
    *("--unshare-net", "--unshare-ipc", "--unshare-uts"),
)
_USER_NAMESPACE = ("--unshare-user", "--uid", str(_USER), "--gid", str(_USER))
_TOOLS = ("bwrap", "setpriv", "prlimit")
# The programs that see the half of the exercises that judges. In none of them does student code
# run.
JUDGING = frozenset({"nbjudge.boxes.inside.checker"})


def command(module: str, limits: Limits, uid: int | None, info: int, seccomp: int) -> list[str]:
    """bwrap's command line for `python -I -m module`; `uid` is the slot of a box that real root
    starts, None for an ordinary user.

    `info` and `seccomp` are file descriptors that the process inherits. Raises SandboxUnavailable.
    """
    tools = find_tools()
    words = [tools["bwrap"], *_COMMON, "--as-pid-1", "--unshare-pid", "--unshare-cgroup-try"]
    words += ["--info-fd", str(info), "--seccomp", str(seccomp)]
    words += _tree(module in JUDGING, limits.scratch_bytes, ["--proc", "/proc"])
    if uid is None:
        words += _USER_NAMESPACE
    words.append("--")
    if uid is not None:
        words += _without_root(tools["setpriv"], uid)
    bounds = (f"--{name.lower()}={value}" for name, value in resource_limits(limits).items())
    return [*words, tools["prlimit"], *bounds, "--", *_PYTHON, _START, module]


def _tree(judging: bool, bytes_: int, proc: list[str]) -> list[str]:
    """bwrap's arguments for the file tree of a box; nothing in it can be written but three folders
    of that size.
    """
    words = _writable("/tmp", bytes_)
    words += [*mounts.arguments(judging=judging), *mounts.of_course(judging=judging)]
    words += [*proc, "--dev", "/dev"]
    # It reads as /dev/zero does. A shared map of that one is memory that no limit counts.
    words += ["--dev-bind", "/dev/full", "/dev/zero"]
    words += _writable(mounts.SPOOL, bytes_)
    words += _writable(mounts.SHARED_MEMORY, min(bytes_, _SHARED_MEMORY_BYTES))
    return [*words, "--remount-ro", "/", "--remount-ro", "/dev", "--chdir", mounts.SCRATCH]


def _without_root(setpriv: str, uid: int) -> list[str]:
    # The change of user id clears the parent-death signal that bwrap set, and bwrap could not
    # send it to another user anyway: in this mode a box dies with its coordinator because its
    # program watches the pipe to it (`inside.start`).
    user = [f"--reuid={uid}", f"--regid={uid}", "--clear-groups"]
    return [setpriv, *user, "--no-new-privs", "--inh-caps=-all", "--bounding-set=-all", "--"]


def resource_limits(limits: Limits) -> dict[str, int]:
    """What each process of a box may use, by the name that the system gives the limit."""
    own = {
        "DATA": limits.memory_bytes,
        "NPROC": limits.processes,
        "CPU": limits.cpu_seconds,
        "FSIZE": limits.file_bytes,
    }
    return {**own, "CORE": 0, "NOFILE": _files(), "MEMLOCK": 0, "MSGQUEUE": 0}


def _files() -> int:
    """How many files process 1 may hold open: no more than an ordinary user can give."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    return FILES if most == resource.RLIM_INFINITY else min(FILES, most)


def environment() -> dict[str, str]:
    """Everything that a process in a box finds in its environment."""
    return {
        "HOME": f"{mounts.SCRATCH}/home",
        "LANG": "C.UTF-8",
        "OMP_NUM_THREADS": "1",
        # Importing ONNX Runtime would start a thread otherwise, and open a database in the home
        # folder.
        "ORT_DISABLE_TELEMETRY": "1",
        "PATH": f"{os.path.dirname(sys.executable)}:/usr/bin:/bin",
        "USER": "student",
    }


@lru_cache(maxsize=1)
def find_tools() -> dict[str, str]:
    """Absolute paths of bwrap, setpriv, prlimit and nsenter. Raises SandboxUnavailable with the line to
    type.
    """
    if sys.platform != "linux":
        raise SandboxUnavailable(
            f"the sandbox needs Linux; this is {sys.platform}. Grade on a Linux machine or in a virtual machine"
        )
    places = {name: shutil.which(name, path=_PATH) for name in _TOOLS}
    found = {name: path for name, path in places.items() if path}
    missing = [name for name in places if name not in found]
    if "bwrap" in missing:
        how = "type `sudo apt-get install bubblewrap`"
        raise SandboxUnavailable(f"bubblewrap is not installed; {how}")
    if missing:
        raise SandboxUnavailable(
            f"{' and '.join(missing)} not found; type `sudo apt-get install util-linux`"
        )
    _require_new(found["bwrap"])
    return found


def _require_new(bwrap: str) -> None:
    text = subprocess.run([bwrap, "--version"], capture_output=True, text=True, check=False).stdout
    version = tuple(int(number) for number in re.findall(r"\d+", text)[:3])
    if version < MIN_BWRAP:
        raise SandboxUnavailable(
            f"bubblewrap {'.'.join(map(str, version))} is too old, the sandbox needs 0.7; upgrade to Debian 12, Ubuntu 24.04 or newer"
        )


def explain(stderr: str) -> str:
    """What bwrap's complaint means, and what to type."""
    if (
        "namespace" in stderr
        or "uid map" in stderr
        or "RTM_NEWADDR" in stderr
        or "Operation not permitted" in stderr
    ):
        return (
            "this system does not let an ordinary user create the sandbox's namespaces. On Ubuntu, allow bwrap: type "
            "`printf 'abi <abi/4.0>,\\ninclude <tunables/global>\\nprofile bwrap /usr/bin/bwrap flags=(unconfined) { userns, }\\n' "
            "| sudo tee /etc/apparmor.d/bwrap && sudo apparmor_parser -r /etc/apparmor.d/bwrap`. "
            "In a container, start it with `--privileged`, or grade outside it"
        )
    return "type `course doctor` for the sandbox's self-test"


def _writable(path: str, size: int) -> list[str]:
    return ["--perms", "1777", "--size", str(size), "--tmpfs", path]
