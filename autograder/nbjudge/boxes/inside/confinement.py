"""What a process does to itself before it touches anything of a student's: it enters a box, gives up
what it may do, and shows how it is confined.

Process 1 of a box gets all of this from bubblewrap, setpriv and prlimit. A fork of the zygote, which
they did not start, does the same by itself (`zygote`), and process 1 compares the two (`seen`,
`namespaces`).
"""

from __future__ import annotations

import ctypes
import os
import resource
import struct
from collections.abc import Mapping

_PR_SET_DUMPABLE, _PR_SET_SECCOMP, _PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS = 4, 22, 24, 38
_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL = 47, 4
_SECCOMP_MODE_FILTER = 2
_CAPABILITY_VERSION = 0x20080522
# mount, cgroup, UTS, IPC, user, PID and network namespaces
_NAMESPACES = 0x00020000 | 0x02000000 | 0x04000000 | 0x08000000 | 0x20000000 | 0x40000000
_USER_NAMESPACE = 0x10000000
_KINDS = ("cgroup", "ipc", "mnt", "net", "pid", "user", "uts")
# What `/proc/PID/status` tells of a process's confinement.
_TOLD = (
    *("Uid", "Gid", "Groups", "NoNewPrivs", "Seccomp", "Seccomp_filters"),
    *("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"),
)


def enter(box: int, with_user: bool) -> None:
    """Go into the namespaces of the process that the descriptor `box` is the handle of; what is
    forked from now on is in its PID namespace, too. Raises OSError.
    """
    _call("setns", box, _NAMESPACES | (_USER_NAMESPACE if with_user else 0))


def give_up_privileges(uid: int | None) -> None:
    """No capability is left, nor a way to get one; from real root to the user id `uid`. Raises
    OSError.
    """
    with open("/proc/sys/kernel/cap_last_cap") as file:
        last = int(file.read())
    for capability in range(last + 1):
        _call("prctl", _PR_CAPBSET_DROP, capability, 0, 0, 0)
    if uid is not None:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    _call("prctl", _PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
    _call("capset", struct.pack("Ii", _CAPABILITY_VERSION, 0), bytes(24))
    _call("prctl", _PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)


def limit(resources: Mapping[str, int]) -> None:
    """Hard limits, by the names that the system gives them."""
    for name, value in resources.items():
        resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (value, value))


def dumpable(value: bool) -> None:
    """Whether processes of the same user can read this one's memory and descriptors."""
    _call("prctl", _PR_SET_DUMPABLE, int(value), 0, 0, 0)


def install(program: bytes) -> None:
    """Put a filter on this process and all that it starts. Raises OSError."""
    code = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(code))
    _call("prctl", _PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, header, 0, 0)


def seen(pid: int) -> dict[str, str]:
    """How a process is confined, as the system tells everybody: user, groups, capabilities, filters
    and limits. Raises OSError when there is no such process.
    """
    with open(f"/proc/{pid}/status") as file:
        told = dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
    with open(f"/proc/{pid}/limits") as file:
        return {name: told.get(name, "") for name in _TOLD} | {"limits": file.read()}


def namespaces() -> dict[str, str]:
    """The namespaces that this process is in."""
    return {name: os.readlink(f"/proc/self/ns/{name}") for name in _KINDS}


def _call(name: str, *arguments: int | bytes) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    words = [each if isinstance(each, bytes) else ctypes.c_ulong(each) for each in arguments]
    if getattr(libc, name)(*words):
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
