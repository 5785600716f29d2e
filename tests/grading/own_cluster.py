"""A Dask cluster of the tests' own: a scheduler and two workers as deploy/dask starts them, on a
free port, gone afterwards.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nbjudge.grading.cluster import Scheduler

DEPLOY = Path(__file__).resolve().parents[2] / "deploy" / "dask"


@contextmanager
def running(folder: Path, **environment: str) -> Iterator[tuple[Scheduler, int]]:
    """The scheduler, and the process that holds the cluster. Certificates and log are in `folder`."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    subprocess.run(
        [DEPLOY / "certificates.sh", folder / "certificates"], check=True, capture_output=True
    )
    command = [DEPLOY / "one-host.sh", folder / "certificates", "2", str(port)]
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    with open(folder / "log", "wb") as log:
        options = {"stdout": log, "stderr": log, "start_new_session": True}
        process = subprocess.Popen(
            command, env={**os.environ, "PATH": path, **environment}, **options
        )
    try:
        _wait_for(port, process)
        names = ("ca.pem", "client.pem", "client.key")
        yield (
            Scheduler.of(
                f"tls://127.0.0.1:{port}", *(folder / "certificates" / name for name in names)
            ),
            process.pid,
        )
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:  # a busy machine
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _wait_for(port: int, process: subprocess.Popen) -> None:
    while process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.1)
    raise AssertionError("the cluster did not start")
