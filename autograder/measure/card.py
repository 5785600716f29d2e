"""The machine that a measurement was taken on, in one line."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

CPU_INFO = Path("/proc/cpuinfo")


def device_card(packages: Iterable[str] = ()) -> str:
    """CPU, usable cores, threads, system, Python, and the versions of `packages`, as `name value; name value`.

    Without paths and names of hosts or users, since it is printed on pages. Threads are those of OMP_NUM_THREADS.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    facts = {
        "CPU": _cpu(),
        "cores": cores,
        "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", "unset"),
        "system": f"{platform.system()} {platform.machine()}",
        "Python": platform.python_version(),
    }
    facts |= {package: _version(package) for package in packages}
    return "; ".join(f"{name} {value}" for name, value in facts.items())


def _cpu() -> str:
    lines = CPU_INFO.read_text().splitlines() if CPU_INFO.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return next(iter(names), platform.processor() or platform.machine())


def _version(package: str) -> str:
    for name in (package, f"{package}-gpu"):  # ONNX Runtime's package has either name
        try:
            return metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return "not installed"
