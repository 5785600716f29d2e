"""A PostgreSQL server of the tests' own: Debian's, as an ordinary user, in a temporary folder, gone
afterwards. It listens in that folder, so that no other program can have its port.
"""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

USER = "grader"


@dataclass(frozen=True)
class Server:
    host: Path
    password: str
    programs: Path

    def url(self, database: str) -> str:
        return f"postgresql://{USER}:{self.password}@/{database}?host={self.host}"

    def create(self, database: str) -> str:
        """Make an empty database; its address."""
        environment = {**os.environ, "PGPASSWORD": self.password}
        options = ["-h", self.host, "-U", USER]
        subprocess.run(
            [self.programs / "createdb", *options, database],
            env=environment,
            check=True,
            capture_output=True,
        )
        return self.url(database)


def programs() -> Path:
    """The folder of initdb, which Debian keeps out of PATH."""
    found = shutil.which("initdb")
    folders = (
        [Path(found).resolve().parent]
        if found
        else sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    )
    assert folders, "PostgreSQL is missing: sudo apt-get install postgresql"
    return folders[-1]


@contextmanager
def server(max_connections: int = 20) -> Iterator[Server]:
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    # PostgreSQL refuses to run as root.
    become = []
    if os.geteuid() == 0:
        shutil.chown(folder, "nobody")
        become = ["setpriv", "--reuid=nobody", "--clear-groups", "--"]
    found = Server(folder, secrets.token_hex(16), programs())

    def run(program: str, *arguments: object) -> None:
        command = [*become, found.programs / program, *map(str, arguments)]
        environment = {"PATH": os.environ["PATH"], "LC_ALL": "C", "HOME": str(folder)}
        done = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert done.returncode == 0, done.stdout

    try:
        secret = folder / "password"
        secret.write_text(found.password)
        secret.chmod(0o644)  # in a folder that the server's user alone may enter
        data, log = folder / "data", folder / "log"
        run(
            "initdb",
            "-D",
            data,
            "-U",
            USER,
            "--auth=scram-sha-256",
            f"--pwfile={secret}",
            "-E",
            "UTF8",
            "--locale=C",
            "--no-sync",
        )
        settings = {
            "listen_addresses": "",
            "unix_socket_directories": folder,
            "fsync": "off",
            "max_connections": max_connections,
            "superuser_reserved_connections": 0,
            "max_wal_senders": 0,
        }
        with open(data / "postgresql.conf", "a") as file:
            file.writelines(f"{name} = '{value}'\n" for name, value in settings.items())
        run("pg_ctl", "-D", data, "-l", log, "-w", "start")
        try:
            yield found
        finally:
            run("pg_ctl", "-D", data, "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
