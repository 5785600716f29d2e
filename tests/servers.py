"""Jupyter servers that tests start; each runs until its test is over."""

import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

TOKEN = "token-of-the-test"
OPEN = ["--allow-root", "--no-browser", "--port=0", "--IdentityProvider.token="]
SECONDS_TO_END = 20.0


@contextmanager
def running(command: list, **options) -> Iterator[tuple[int, str]]:
    """The port on which a server of Jupyter's listens, and all that it had said by then."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    with subprocess.Popen(command, **pipes, **options) as process:
        try:
            said = ""
            for line in process.stdout:
                said += line
                if found := re.search(r"http://(?:localhost|127\.0\.0\.1):(\d+)/", line):
                    break
            else:
                pytest.fail(f"{command} ended before it was ready:\n{said}")
            # A full pipe would stop the server.
            threading.Thread(target=process.stdout.read).start()
            port = int(found[1])
            _wait_until_it_listens(port, process)
            yield port, said
        finally:
            _end(process)


def _end(process: subprocess.Popen) -> None:
    """A worker thread of anyio's that is waiting when the loop stops keeps a server from ending."""
    process.terminate()
    try:
        process.wait(SECONDS_TO_END)
    except subprocess.TimeoutExpired:
        process.kill()


def _wait_until_it_listens(port: int, process: subprocess.Popen) -> None:
    """It prints its address a moment before: Jupyter binds the port when its loop runs."""
    while True:
        try:
            return socket.create_connection(("localhost", port)).close()
        except ConnectionRefusedError:
            assert process.poll() is None, "the server ended before it listened"
            time.sleep(0.02)


@contextmanager
def module(name: str, *options: str, **more) -> Iterator[str]:
    """The address of a server of Jupyter's that asks for no token: `jupyterlab`, `jupyter_server`."""
    command = [sys.executable, "-m", name, *OPEN, *options]
    with running(command, **more) as (port, _):
        yield f"http://localhost:{port}/"


@contextmanager
def formgrader(root: Path) -> Iterator[str]:
    """The address of a formgrader on the course in `root`."""
    extension = "--ServerApp.jpserver_extensions={'nbgrader.server_extensions.formgrader': True}"
    folder, unchecked = f"--ServerApp.root_dir={root}", "--ServerApp.disable_check_xsrf=True"
    with module("jupyter_server", extension, folder, unchecked, cwd=root) as address:
        yield f"{address}formgrader"


@contextmanager
def course_lab(*options, cwd: Path, **variables: str) -> Iterator[tuple[str, str]]:
    """`course lab`, as somebody types it who has nothing of Jupyter's in the environment: its
    address, and what it said.
    """
    course = Path(sys.executable).with_name("course")
    command = [course, "lab", *options, "--port", "0", "--no-browser"]
    own = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("JUPYTER", "IPYTHON"))
    }
    environment = {**own, "JUPYTER_TOKEN": TOKEN, **variables}
    with running(command, cwd=cwd, env=environment) as (port, said):
        yield f"http://127.0.0.1:{port}", said
