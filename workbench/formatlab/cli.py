"""The `formatlab` command: `formatlab why`, `formatlab diff`, `formatlab bench`. It is also the `course`
command where the harness is not installed.

Where it is installed, its own command line has every command, these among them by entry points of
the group `nbjudge.commands`. Both packages bring a script `course`, and either will do.
"""

from __future__ import annotations

import importlib.util
import inspect
import sys
from io import TextIOWrapper

import typer

from formatlab.commands.bench import bench
from formatlab.commands.diff import diff
from formatlab.commands.why import why

HELP = "Tools for ML models in their files. Labs and grading come with the course: `pip install formatlab-exercises`"


def commands_of(program: str) -> typer.Typer:
    """The commands of this package, whose help shows them as those of `program`."""
    app = typer.Typer(
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode="rich",
        pretty_exceptions_enable=False,
        help=HELP,
    )
    for command in (why, diff, bench):
        text = inspect.getdoc(command) or ""
        name = command.__name__
        app.command(help=text.replace(f"course {name}", f"{program} {name}"))(command)
    return app


app = commands_of("course")


def alone() -> None:
    """`formatlab`, with the commands of this package only."""
    _write_any_name()
    commands_of("formatlab")()


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
        return
    try:
        app()
    except ModuleNotFoundError as error:
        if error.name != "onnxruntime":
            raise
        typer.echo(f"course: {error}", err=True)
        sys.exit(2)


if __name__ == "__main__":
    main()
