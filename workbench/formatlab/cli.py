"""The `formatlab` command: `formatlab why`, `formatlab diff`, `formatlab bench`. It is also the `course`
command where the harness is not installed.

Where it is installed, its own command line has every command, these among them by entry points of
the group `nbjudge.commands`. Both packages bring a script `course`, and either will do.
"""

from __future__ import annotations

import importlib.util
import sys
from io import TextIOWrapper

import typer

from formatlab.commands.bench import bench
from formatlab.commands.diff import diff
from formatlab.commands.why import why

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    help="Tools for ML models in their files. Labs and grading come with the course: `pip install formatlab-exercises`",
)
app.command()(why)
app.command()(diff)
app.command()(bench)


def alone() -> None:
    """`formatlab`, with the commands of this package only."""
    _write_any_name()
    app()


def _write_any_name() -> None:
    """A name that the terminal's encoding lacks is no reason to stop."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def main() -> None:
    """`course`, with the harness's commands where it is installed."""
    _write_any_name()
    if importlib.util.find_spec("nbjudge"):
        from nbjudge.cli import main as everything

        everything()
    else:
        app()


if __name__ == "__main__":
    main()
