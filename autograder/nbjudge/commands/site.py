"""`course site`: for everybody who has the whole repository."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from nbjudge.commands import common

Out = Annotated[
    Path | None, typer.Option("--out", help="Where the pages go: build/site by default.")
]
Serve = Annotated[
    bool, typer.Option("--serve", help="Serve the site on this machine when it is built.")
]
Port = Annotated[int, typer.Option(help="The port of --serve; the next free one if it is taken.")]


def site(out: Out = None, serve: Serve = False, port: Port = 8000) -> None:
    """Build the static site of the course from its executed notebooks."""
    tool = common.project().root / "tools" / "site"
    if not tool.is_dir():
        common.fail(
            f"{tool.parent.parent} has no tools/site: the site is built from the whole repository, not from a students' edition"
        )
    if importlib.util.find_spec("sphinx") is None:
        common.fail(
            "Sphinx is missing: type `make site`, or `pip install -c requirements-site.lock '.[course,site]'`"
        )
    words = [*(["--out", str(out)] if out else []), *(["--serve"] if serve else [])]
    command = [sys.executable, str(tool), *words, "--port", str(port)]
    raise typer.Exit(subprocess.run(command).returncode)
