"""The machine that a measurement was taken on: without paths and names of hosts or users, since it is printed on pages."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

CPU_INFO = Path("/proc/cpuinfo")
# What decides which kernels run: vectors, FP16 conversion and arithmetic, 8-bit dot products, matrix units; on x86, then on ARM.
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


@dataclass(frozen=True)
class Card:
    """A machine and what was installed on it. `flags` are those of FLAGS that the CPU has; None where the system does not say."""

    cpu: str
    cores: int
    threads: str
    system: str
    python: str
    packages: dict[str, str]
    flags: tuple[str, ...] | None
    gpus: tuple[str, ...]

    @classmethod
    def of_this_machine(cls, packages: Iterable[str] = PACKAGES) -> Card:
        """`packages`: those whose versions matter."""
        return cls(
            cpu=_cpu("model name") or platform.processor() or platform.machine(),
            cores=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
            threads=os.environ.get("OMP_NUM_THREADS", "unset"),
            system=f"{platform.system()} {platform.machine()}",
            python=platform.python_version(),
            packages={package: _version(package) for package in packages},
            flags=_flags(),
            gpus=_gpus(),
        )

    @classmethod
    def from_json(cls, data: dict) -> Card:
        return cls(**{**data, "flags": None if data["flags"] is None else tuple(data["flags"]), "gpus": tuple(data["gpus"])})

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
        """CPU flags and GPU in words."""
        flags = "not known" if self.flags is None else ", ".join(self.flags) or "none of those that matter here"
        return f"CPU flags: {flags}; GPU: {', '.join(self.gpus) or 'none'}"


def device_card(packages: Iterable[str] = ()) -> str:
    """CPU, usable cores, threads, system, Python, and the versions of `packages`, as `name value; name value`.

    Threads are those of OMP_NUM_THREADS. `Card.of_this_machine` has the same as data, with CPU flags and GPU.
    """
    return str(Card.of_this_machine(packages))


def _cpu(field: str) -> str:
    """The first processor's line of that name in /proc/cpuinfo, where there is one."""
    lines = CPU_INFO.read_text().splitlines() if CPU_INFO.exists() else []
    return next((line.partition(":")[2].strip() for line in lines if line.partition(":")[0].strip() == field), "")


def _flags() -> tuple[str, ...] | None:
    words = (_cpu("flags") or _cpu("Features")).split()
    return tuple(flag for flag in FLAGS if flag in words) if words else None


def _gpus() -> tuple[str, ...]:
    """Name, memory and driver of each NVIDIA GPU that its driver lists."""
    if shutil.which(GPU_QUERY[0]) is None:
        return ()
    try:
        done = subprocess.run(GPU_QUERY, capture_output=True, text=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError):  # installed, with no driver to talk to
        return ()
    return tuple(" / ".join(part.strip() for part in line.split(",")) for line in done.stdout.splitlines() if line.strip())


def _version(package: str) -> str:
    for name in (package, f"{package}-gpu"):  # ONNX Runtime's package has either name
        try:
            return metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return "not installed"
