"""Try, from inside a box, what student code must not be able to do.

In: `job` {"op", "hidden": [paths], "namespaces": {name: the coordinator's}, "resources": {name:
value}, "is_root", "processes", "memory_bytes", "scratch_bytes"}; beside its op `share` reads
`memory_bytes` alone. The op `report` sends one `probe` {"name", "passed", "detail"} for each
attempt; `share`, `spin` and `wait` break one limit each, and are to be killed for it.
"""

from __future__ import annotations

import ctypes
import errno
import os
import resource
import signal
import socket
import time
from collections.abc import Callable, Iterator
from functools import partial

from nbjudge.boxes import launch, mounts
from nbjudge.boxes.inside.channel import Channel

_CLONE_NEWUSER = 0x10000000
_AF_VSOCK = 40
_OPEN_TREE_ATTR = 467
_AT_FDCWD = -100
_RLIMIT_NPROC = 6
_SHARERS = 16
_OWN_NAMES = {"PWD", "LC_CTYPE"}  # set by bwrap and by Python itself


def main() -> None:
    channel = Channel()
    job = next(frame.header for frame in channel.frames() if frame.kind == "job")
    if job["op"] == "report":
        for name, attempt in _ATTEMPTS.items():
            problems = list(attempt(job))
            channel.send("probe", name=name, passed=not problems, detail="; ".join(problems))
    elif job["op"] == "share":
        _share(job)
    elif job["op"] == "spin":
        while True:
            pass
    else:
        while True:
            time.sleep(1)


def _network(_job: dict) -> Iterator[str]:
    names = [name for _, name in socket.if_nameindex()]
    if names != ["lo"]:
        yield f"the box has the interfaces {', '.join(names)}"
    with socket.socket() as sock:
        sock.settimeout(2)
        if sock.connect_ex(("192.0.2.1", 80)) != errno.ENETUNREACH:
            yield "a connection to another machine is not refused at once"


def _files(job: dict) -> Iterator[str]:
    if seen := [path for path in job["hidden"] if os.path.lexists(path)]:
        yield f"{', '.join(seen[:5])} can be seen"


def _system(_job: dict) -> Iterator[str]:
    for path in ("/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger"):
        if not _refused(partial(_written_to, path)):
            yield f"{path} can be written"
    for folder in ("/", "/dev", "/usr", os.path.dirname(mounts.__file__)):
        if not _refused(partial(os.mkdir, f"{folder}/probe")):
            yield f"{folder} can be written"
    for folder in ("/", "/dev"):
        if not os.statvfs(folder).f_flag & os.ST_RDONLY:
            yield f"{folder} is not mounted read-only"


def _written_to(path: str) -> None:
    os.close(os.open(path, os.O_WRONLY))


def _identity(job: dict) -> Iterator[str]:
    if 0 in os.getresuid() + os.getresgid():
        yield f"the box runs as user {os.getresuid()}, group {os.getresgid()}"
    with open("/proc/self/status") as file:
        status = dict(line.split(":\t", 1) for line in file)
    kinds = ("CapPrm", "CapEff", "CapInh", "CapAmb", *(("CapBnd",) if job["is_root"] else ()))
    if left := [kind for kind in kinds if int(status[kind], 16)]:
        yield f"capabilities are left: {', '.join(left)}"
    if job["is_root"] and os.getgroups():
        yield f"the box is in the groups {os.getgroups()}"
    if status["NoNewPrivs"].strip() != "1":
        yield "privileges can be gained"


def _separation(job: dict) -> Iterator[str]:
    if os.getpid() != 1:
        yield f"the program is process {os.getpid()}: others of the box could end it"
    if os.getsid(0) == 0:
        yield "the box shares a session, and its terminal, with the grader"
    if shared := [
        name
        for name, outside in job["namespaces"].items()
        if os.readlink(f"/proc/self/ns/{name}") == outside
    ]:
        yield f"the box shares the grader's namespaces {', '.join(shared)}"


def _limits(job: dict) -> Iterator[str]:
    for name, value in job["resources"].items():
        found = resource.getrlimit(getattr(resource, f"RLIMIT_{name}"))
        if found != (value, value):
            yield f"the limit {name.lower()} is {found}, and should be {value}"


def _environment(_job: dict) -> Iterator[str]:
    if extra := os.environ.keys() - launch.environment().keys() - _OWN_NAMES:
        yield f"the environment holds {', '.join(sorted(extra))}"


def _calls(_job: dict) -> Iterator[str]:
    libc = ctypes.CDLL(None, use_errno=True)
    calls: dict[str, Callable[[], int]] = {
        "memfd_create": lambda: libc.memfd_create(b"probe", 0),
        "ptrace": lambda: libc.ptrace(0, 0, 0, 0),
        "unshare": lambda: libc.unshare(_CLONE_NEWUSER),
        "mmap of shared memory": lambda: libc.mmap(None, 4096, 3, 0x21, -1, 0),
        "shmget": lambda: libc.shmget(0, 4096, 0o1600),
        "vsock": lambda: libc.socket(_AF_VSOCK, 1, 0),
        "prlimit of another process": lambda: libc.prlimit(
            os.getppid() or 2, _RLIMIT_NPROC, None, None
        ),
        "open_tree_attr, newer than the list": lambda: libc.syscall(
            _OPEN_TREE_ATTR, _AT_FDCWD, b"/", 0, None, 0
        ),
    }
    refusals = (errno.EPERM, errno.EAFNOSUPPORT, errno.ENOSYS)
    if allowed := [
        name for name, call in calls.items() if call() != -1 or ctypes.get_errno() not in refusals
    ]:
        yield f"the system calls {', '.join(allowed)} are not refused"


def _supervisor(_job: dict) -> Iterator[str]:
    """What a process of the same user can do to process 1, which holds the hidden inputs."""
    child = os.fork()
    if child == 0:
        closed = _refused(lambda: os.open("/proc/1/mem", os.O_RDONLY)) and _refused(
            lambda: os.listdir("/proc/1/fd")
        )
        os.kill(1, signal.SIGKILL)
        os._exit(0 if closed else 1)
    if os.waitpid(child, 0)[1] != 0:
        yield "the supervisor's memory or files can be read"


def _processes(job: dict) -> Iterator[str]:
    children: list[int] = []
    try:
        while len(children) <= job["processes"]:
            child = os.fork()
            if child == 0:
                signal.pause()
            children.append(child)
        yield f"{len(children)} processes run, of {job['processes']} allowed"
    except BlockingIOError:
        pass
    finally:
        for child in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


def _private_memory(job: dict) -> Iterator[str]:
    try:
        bytearray(2 * job["memory_bytes"])
        yield "twice the allowed memory can be had"
    except MemoryError:
        pass


def _disk(job: dict) -> Iterator[str]:
    for folder in mounts.WRITABLE:
        path = f"{folder}/probe"
        part = bytes(1 << 20)
        try:
            with open(path, "wb", buffering=0) as file:
                for _ in range(job["scratch_bytes"] // len(part) + 1):
                    if file.write(part) < len(part):
                        break
                else:
                    yield f"{folder} takes more than {job['scratch_bytes']} bytes"
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EFBIG):
                yield f"{folder} cannot be written: {error.strerror}"
        finally:
            os.unlink(path)


def _share(job: dict) -> None:
    """Take memory that no limit of a single process counts: together twice what one may have, each
    so little that there is room for it beside the interpreter and its threads.
    """
    for _ in range(_SHARERS - 1):
        if os.fork() == 0:
            break
    kept = b"x" * (2 * job["memory_bytes"] // _SHARERS)
    while kept:
        signal.pause()


def _refused(action: Callable[[], object]) -> bool:
    try:
        action()
    except OSError:
        return True
    return False


_ATTEMPTS = {
    "network": _network,
    "files": _files,
    "system": _system,
    "identity": _identity,
    "separation": _separation,
    "limits": _limits,
    "environment": _environment,
    "system calls": _calls,
    "supervisor": _supervisor,
    "processes": _processes,
    "private memory": _private_memory,
    "disk": _disk,
}

if __name__ == "__main__":
    main()
