"""What a session costs before its second call: in a process of its own, because memory and caches
remember the sessions before.
"""

from __future__ import annotations

import time
from pathlib import Path

STATUS = Path("/proc/self/status")


def start(setup, feeds, reference) -> dict[str, str]:
    """Load, first call and memory of one variant. For a fresh process; ONNX Runtime is imported
    before, the file is in the file cache.
    """
    before = _memory().rss
    started = time.perf_counter()
    runner = setup.runner(feeds, reference)
    loaded = time.perf_counter()
    runner()
    called = time.perf_counter()
    peak = (_peak() - before) / 1e6
    return {
        "load ms": f"{1000 * (loaded - started):.3g}",
        "first ms": f"{1000 * (called - loaded):.3g}",
        "peak MB": f"{peak:.3g}",
    }


def _peak() -> int:
    """The most memory that this process has had, in bytes; where the system does not tell, what it
    has now.

    `getrusage` would tell the parent's: a program that is started inherits its maximum.
    """
    lines = STATUS.read_text().splitlines() if STATUS.exists() else []
    kilobytes = [int(line.split()[1]) for line in lines if line.startswith("VmHWM:")]
    return kilobytes[0] * 1024 if kilobytes else getattr(_memory(), "peak_wset", _memory().rss)


def _memory():
    import psutil

    return psutil.Process().memory_info()
