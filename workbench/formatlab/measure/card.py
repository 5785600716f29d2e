"""The machine that a measurement was taken on: without paths and names of hosts or users, since it
is printed on pages.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path

CPU_INFO = Path("/proc/cpuinfo")
CPU_CACHE = Path("/sys/devices/system/cpu/cpu0/cache/index3")
GOVERNOR = Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
CGROUP = Path("/sys/fs/cgroup/cpu.max")
# What decides which kernels run: vectors, FP16 conversion and arithmetic, 8-bit dot products,
# matrix units; on x86, then on ARM.
FLAGS = (
    "f16c",
    "avx2",
    "avx512f",
    "avx512_vnni",
    "avx_vnni",
    "avx512_bf16",
    "avx512_fp16",
    "amx_int8",
    "asimdhp",
    "asimddp",
    "i8mm",
    "bf16",
)
PACKAGES = ("torch", "onnxruntime", "onnx", "numpy")
GPU_QUERY = ["nvidia-smi", "--query-gpu=name,memory.total,driver_version", "--format=csv,noheader"]


@dataclass(frozen=True, kw_only=True)
class Card:
    """A machine and what was installed on it. `flags` are those of FLAGS that the CPU has; None
    where the system does not say.

    `details`: what else decides how fast it is, as far as the system tells: model number, clock,
    caches, memory, governor, quota.
    """

    cpu: str
    cores: int
    threads: str
    system: str
    python: str
    packages: dict[str, str]
    flags: tuple[str, ...] | None
    gpus: tuple[str, ...]
    details: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of_this_machine(cls, packages: Iterable[str] = PACKAGES) -> Card:
        """`packages`: those whose versions matter."""
        return cls(
            cpu=_cpu("model name") or platform.processor() or platform.machine(),
            cores=len(os.sched_getaffinity(0))
            if hasattr(os, "sched_getaffinity")
            else os.cpu_count() or 1,
            threads=os.environ.get("OMP_NUM_THREADS", "unset"),
            system=f"{platform.system()} {platform.machine()}",
            python=platform.python_version(),
            packages={package: _version(package) for package in packages},
            flags=_flags(),
            gpus=_gpus(),
            details=_details(),
        )

    @classmethod
    def from_json(cls, data: dict) -> Card:
        return cls(
            **{
                **data,
                "flags": None if data["flags"] is None else tuple(data["flags"]),
                "gpus": tuple(data["gpus"]),
            }
        )

    def __str__(self) -> str:
        facts = {
            "CPU": self.cpu,
            "cores": self.cores,
            "OMP_NUM_THREADS": self.threads,
            "system": self.system,
            "Python": self.python,
            **self.packages,
        }
        return "; ".join(f"{name} {value}" for name, value in facts.items())

    @property
    def hardware(self) -> str:
        """CPU flags, GPU and details in words."""
        flags = (
            "not known"
            if self.flags is None
            else ", ".join(self.flags) or "none of those that matter here"
        )
        details = "".join(f"; {name} {value}" for name, value in self.details.items())
        return f"CPU flags: {flags}; GPU: {', '.join(self.gpus) or 'none'}{details}"


def device_card(packages: Iterable[str] = ()) -> str:
    """CPU, usable cores, threads, system, Python, and the versions of `packages`, as
    `name value; name value`.

    Threads are those of OMP_NUM_THREADS. `Card.of_this_machine` has the same as data, with CPU
    flags and GPU.
    """
    return str(Card.of_this_machine(packages))


def _cpu(field: str) -> str:
    """The first processor's line of that name in /proc/cpuinfo, where there is one."""
    lines = CPU_INFO.read_text().splitlines() if CPU_INFO.exists() else []
    return next(
        (
            line.partition(":")[2].strip()
            for line in lines
            if line.partition(":")[0].strip() == field
        ),
        "",
    )


def _flags() -> tuple[str, ...] | None:
    words = (_cpu("flags") or _cpu("Features")).split()
    return tuple(flag for flag in FLAGS if flag in words) if words else None


def _details() -> dict[str, str]:
    """Only what the system says: a container often hides clock and governor."""
    import psutil  # on Linux it wants `resource`, which other systems lack

    size = _text(CPU_CACHE / "size")[:-1]
    unit = _text(CPU_CACHE / "size")[-1:]
    quota, _, period = _text(CGROUP).partition(" ")
    found = {
        "family/model": "/".join(filter(None, (_cpu("cpu family"), _cpu("model")))),
        "MHz": _cpu("cpu MHz").partition(".")[0],
        "L3": f"{int(size) // 1024} MB" if size.isdecimal() and unit == "K" else "",
        "memory": f"{psutil.virtual_memory().total / 2**30:.0f} GB",
        "governor": _text(GOVERNOR),
        "CPU quota": f"{int(quota) / int(period):.3g} cores"
        if quota.isdecimal() and period.isdecimal()
        else "",
    }
    return {name: value for name, value in found.items() if value}


def _text(path: Path) -> str:
    """What a small file of the system holds, nothing where it cannot be read."""
    try:
        return path.read_text().strip()
    except OSError:
        return ""


def _gpus() -> tuple[str, ...]:
    """Name, memory and driver of each NVIDIA GPU that its driver lists."""
    if shutil.which(GPU_QUERY[0]) is None:
        return ()
    try:
        done = subprocess.run(GPU_QUERY, capture_output=True, text=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError):  # installed, with no driver to talk to
        return ()
    return tuple(
        " / ".join(part.strip() for part in line.split(","))
        for line in done.stdout.splitlines()
        if line.strip()
    )


def _version(package: str) -> str:
    for name in (package, f"{package}-gpu"):  # ONNX Runtime's package has either name
        try:
            return metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return "not installed"
