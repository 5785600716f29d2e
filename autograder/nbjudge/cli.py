"""The `course` command: each of its commands is a function in `autograder/nbjudge/commands`."""

from __future__ import annotations

import os
import sys
from importlib import metadata
from io import TextIOWrapper
from pathlib import Path

import typer

from nbjudge.commands import authors, classes, students
from nbjudge.commands.grade import grade
from nbjudge.commands.site import site
from nbjudge.failures import OneLine

app = typer.Typer(
    cls=OneLine,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    help="Labs on ML model formats: work on them, check them, grade them.",
)
gradebook = typer.Typer(no_args_is_help=True, help="The gradebook's database.")

# What `course --help` lists, by the person who types it.
PANELS = {
    "Work on labs": (students.lab, students.check, students.submit, students.doctor),
    "Run a class": (
        classes.adopt,
        classes.publish,
        classes.roster,
        classes.due,
        classes.collect,
        grade,
        classes.feedback,
        classes.extend,
        classes.report,
        classes.defend,
        classes.export,
    ),
    "Write exercises": (authors.new_exercise, authors.answers, authors.release, site),
}
for panel, commands in PANELS.items():
    for command in commands:
        app.command(rich_help_panel=panel)(command)
# What installed packages add, such as `course bench`.
for entry in sorted(metadata.entry_points(group="nbjudge.commands"), key=lambda one: one.name):
    app.command(entry.name, rich_help_panel="Look at models")(entry.load())
app.add_typer(gradebook, name="gradebook", rich_help_panel="Run a class")
gradebook.command("copy")(classes.gradebook_copy)


def main() -> None:
    # A name that the terminal's encoding lacks is no reason to stop.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    # nbgrader starts alembic by name, and it lies beside this Python.
    os.environ["PATH"] = os.pathsep.join(
        [str(Path(sys.executable).parent), os.environ.get("PATH", "")]
    )
    app()


if __name__ == "__main__":  # `python -m nbjudge.cli`, where no script is on the path
    main()
