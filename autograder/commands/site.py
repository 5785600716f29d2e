"""`course site`."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from autograder.failures import REFUSED, one_line


def site(
    out: Annotated[Path | None, typer.Option("--out", help="Where the pages go: build/site by default.")] = None,
    serve: Annotated[bool, typer.Option("--serve", help="Serve the site on this machine when it is built.")] = False,
    port: Annotated[int, typer.Option(help="The port of --serve; the next free one if it is taken.")] = 8000,
) -> None:
    """Build the static site of the course from its executed notebooks."""
    from autograder.grading.folders import FolderError, Project

    try:
        tool = Project.find().root / "tools" / "site"
    except FolderError as problem:
        refuse(str(problem))
    if not tool.is_dir():
        refuse(f"{tool.parent.parent} is a students' edition: the site is built from the whole repository")
    if importlib.util.find_spec("sphinx") is None:
        refuse("the packages that build the site are missing: type `make site`, or pip install -c requirements.lock '.[site]'")
    words = [*(["--out", str(out)] if out else []), *(["--serve"] if serve else []), "--port", str(port)]
    try:
        raise typer.Exit(subprocess.run([sys.executable, str(tool), *words]).returncode)
    except KeyboardInterrupt:
        raise typer.Exit(0) from None


def refuse(text: str) -> None:
    typer.echo(f"course: {one_line(text)}", err=True)
    raise typer.Exit(REFUSED)
