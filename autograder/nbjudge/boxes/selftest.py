"""Prove, on this machine and now, that boxes hold."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from nbjudge import wire
from nbjudge.boxes import launch, mounts
from nbjudge.boxes.box import run
from nbjudge.boxes.ending import BoxRun
from nbjudge.boxes.errors import SandboxUnavailable
from nbjudge.boxes.limits import MIB, Limits, limits_for_runner

_PROBE = "nbjudge.boxes.inside.probe"
_RUNNER = "nbjudge.boxes.inside.runner"
_SMALL = Limits(
    wall_seconds=60,
    cpu_seconds=60,
    memory_bytes=128 * MIB,
    processes=32,
    file_bytes=64 * MIB,
    scratch_bytes=16 * MIB,
    output_bytes=MIB,
)
_DEADLINES = [replace(_SMALL, wall_seconds=seconds) for seconds in (2, 10, 40)]
_PROCESSOR = [replace(_SMALL, wall_seconds=60, cpu_seconds=seconds) for seconds in (1, 5)]
_SYSTEM_FILES = (
    "/etc/passwd",
    "/etc/shadow",
    "/var/lib",
    "/var/log",
    "/sys/kernel",
    "/run/nbjudge-slots",
)
_UPGRADE = "type `sudo apt-get install --only-upgrade bubblewrap util-linux`, then `course doctor`; do not grade until this line passes"
_MOVE = "move the course out of /usr and out of the Python environment's folder, then type `course doctor`"
_INSTALL = "type `make install` in the course's folder to install the environment again"


@dataclass(frozen=True)
class Probe:
    """One thing that must hold. `detail` says what was seen; `fix` what to type when it does not
    hold.
    """

    name: str
    passed: bool
    detail: str
    fix: str


def self_test(*hidden: Path) -> list[Probe]:
    """Try every wall and limit from inside real boxes, and start a real kernel. `hidden` are more
    folders of which a box must see nothing.

    What stands in the working directory and in the home folder is always among them.
    """
    return _found(lambda: _report(hidden), *_limits())


def _limits() -> list[Callable[[], list[Probe]]]:
    """The probes that are the same whatever a box must not see."""
    return [
        lambda: [_killed("shared memory", "share", _SMALL, "memory")],
        lambda: _late("processor time", "spin", "processor time", *_PROCESSOR),
        lambda: _late("deadline", "wait", "", *_DEADLINES),
        _kernel,
    ]


def _found(*probes: Callable[[], list[Probe]]) -> list[Probe]:
    try:
        with ThreadPoolExecutor(len(probes)) as pool:
            return [probe for found in pool.map(lambda probe: probe(), probes) for probe in found]
    except (SandboxUnavailable, OSError) as error:
        return [
            Probe("sandbox", False, str(error), "do what this line says, then type `course doctor`")
        ]


def require_sandbox(*hidden: Path) -> None:
    """The whole self-test, each part once a process. Raises SandboxUnavailable if a part fails."""
    with ThreadPoolExecutor(2) as pool:
        for tried in (pool.submit(require_walls, *hidden), pool.submit(require_limits)):
            tried.result()


@lru_cache(maxsize=8)
def require_walls(*hidden: Path) -> None:
    _require(_found(lambda: _report(hidden)))


@lru_cache(maxsize=1)
def require_limits() -> None:
    _require(_found(*_limits()))


def _require(probes: Iterable[Probe]) -> None:
    if failed := [probe for probe in probes if not probe.passed]:
        told = "; ".join(f"{probe.name}: {probe.detail} ({probe.fix})" for probe in failed)
        raise SandboxUnavailable(f"the sandbox does not hold on this machine: {told}")


def control() -> str:
    """What is wrong with a runner box that holds nothing of a student's: nothing, if one works now."""
    try:
        (kernel,) = _kernel()
    except SandboxUnavailable as error:
        return str(error)
    return "" if kernel.passed else kernel.detail


def _report(hidden: Iterable[Path]) -> list[Probe]:
    job: dict[str, object] = {
        "processes": _SMALL.processes,
        "memory_bytes": _SMALL.memory_bytes,
        "scratch_bytes": _SMALL.scratch_bytes,
    }
    job |= {
        "namespaces": _namespaces(),
        "resources": launch.resource_limits(_SMALL),
        "is_root": os.geteuid() == 0,
    }
    ended = _probe("report", _SMALL, hidden=_hidden_paths(hidden), **job)
    probes = [
        Probe(
            frame.header["name"],
            frame.header["passed"],
            frame.header["detail"],
            _MOVE if frame.header["name"] == "files" else _UPGRADE,
        )
        for frame in ended.frames
    ]
    return [*probes, Probe("report", ended.ended == "finished", ended.detail, _UPGRADE)]


def _namespaces() -> dict[str, str]:
    """The grader's own, of which a box must share none; a user namespace is only made for an
    ordinary user.
    """
    names = ["pid", "net", "ipc", "uts", "mnt", *([] if os.geteuid() == 0 else ["user"])]
    return {name: os.readlink(f"/proc/self/ns/{name}") for name in names}


def _hidden_paths(folders: Iterable[Path]) -> list[str]:
    """Everything in those folders, the working directory and the home folder, but for the way to
    what is mounted.
    """
    shown = mounts.prefixes()
    paths = list(_SYSTEM_FILES)
    for folder in {Path.cwd(), Path.home(), *folders} - {Path("/")}:
        try:
            paths += [os.path.abspath(entry) for entry in sorted(folder.iterdir())[:1000]]
        except OSError:
            continue
    return [
        path
        for path in paths
        if not any(prefix == path or prefix.startswith(path + "/") for prefix in shown)
    ]


def _killed(name: str, op: str, limits: Limits, expected: str, why: str = "") -> Probe:
    ended = _probe(op, limits, memory_bytes=limits.memory_bytes)
    return Probe(
        name,
        ended.ended == expected and why in ended.detail,
        f"{ended.ended}: {ended.detail}",
        _UPGRADE,
    )


def _late(name: str, op: str, why: str, *limits: Limits) -> list[Probe]:
    """A box that goes on for too long is ended. On a slow or busy machine one may not even have
    started by then: the next limits give it more time.
    """
    for each in limits[:-1]:
        with contextlib.suppress(SandboxUnavailable):
            return [_killed(name, op, each, "deadline", why)]
    return [_killed(name, op, limits[-1], "deadline", why)]


def _kernel() -> list[Probe]:
    job = wire.encode("job", mode="exercises", cells=[{"index": 0, "source": "print(6 * 7)"}])
    ended = run(_RUNNER, [job], limits_for_runner())
    outputs = [frame.header["outputs"] for frame in ended.frames if frame.kind == "cell"]
    passed = outputs == [[{"output_type": "stream", "name": "stdout", "text": "42\n"}]]
    return [
        Probe(
            "kernel",
            passed,
            f"a notebook's cell took {ended.seconds:.1f} s"
            if passed
            else f"{ended.ended}: {ended.detail}",
            _INSTALL,
        )
    ]


def _probe(op: str, limits: Limits, **job) -> BoxRun:
    return run(_PROBE, [wire.encode("job", op=op, **job)], limits)
