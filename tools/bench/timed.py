"""One command, timed from outside: seconds, processor seconds of everything that it starts, and the
memory of all of it together.
"""

from __future__ import annotations

import os
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

POLL_SECONDS = 0.25


@dataclass(frozen=True)
class Spent:
    """`peak_mb` is the largest sum of the proportional sizes of all processes, sampled four times a
    second.
    """

    seconds: float
    cpu_seconds: float
    peak_mb: float
    status: int


def timed(command: list[str], folder: Path) -> Spent:
    began = time.monotonic()
    environment = {**os.environ, "PYTHONSAFEPATH": "1", "OMP_NUM_THREADS": "1"}
    process = subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    over, peak = threading.Event(), [0.0]
    watch = threading.Thread(target=_watch, args=(process.pid, over, peak))
    watch.start()
    _, status, used = os.wait4(process.pid, 0)
    seconds = time.monotonic() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    over.set()
    watch.join()
    return Spent(seconds, used.ru_utime + used.ru_stime, peak[0], process.returncode)


def _watch(pid: int, over: threading.Event, peak: list[float]) -> None:
    while not over.wait(POLL_SECONDS):
        peak[0] = max(peak[0], _size(pid))


def _size(pid: int) -> float:
    total = 0
    try:
        root = psutil.Process(pid)
        processes = [root, *root.children(recursive=True)]
    except psutil.Error:
        return 0.0
    for process in processes:
        try:
            total += process.memory_full_info().pss
        except psutil.Error:  # it has ended
            continue
    return total / 2**20
