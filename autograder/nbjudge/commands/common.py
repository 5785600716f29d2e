"""What the commands share: options, where the course lies, and how a command ends."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, NoReturn, ParamSpec, TypeVar

import typer

from nbjudge.failures import one_line

CourseOption = Annotated[
    Path, typer.Option("--course", help="The course folder: submissions, gradebook, feedback.")
]
COURSE = Path("course-data")
DbOption = Annotated[
    str | None,
    typer.Option(
        "--db", metavar="URL", help="The gradebook's database: the course folder's own by default."
    ),
]
Assignments = Annotated[
    list[str] | None,
    typer.Argument(help="Assignments, for example day-50. All of them by default."),
]
Assignment = Annotated[str, typer.Argument(help="The assignment, for example day-50.")]

OneStudent = Annotated[
    list[str] | None, typer.Option(help="Only this student; may be given more than once.")
]
Budget = Annotated[
    str | None,
    typer.Option(
        metavar="cell=S,case=S,notebook=S,submission=S",
        help="Seconds for students' code; some, or all of them.",
    ),
]

Given = ParamSpec("Given")
Result = TypeVar("Result")


def project():
    from nbjudge.grading.config.folders import Project

    return or_fail(Project.find)


def course_at(folder: Path, db: str | None = None, gradebook: bool = False):
    from nbjudge.course.soundness import require_sound
    from nbjudge.grading.config.folders import Course

    course = Course.at(folder, db)
    require_sound(course, gradebook)
    return course


def seconds(budget: str | None):
    """What was typed behind --budget, by its names; None where nothing was."""
    from nbjudge.grading.config import budget as budgets

    try:
        return budgets.parse(budget) if budget else None
    except budgets.BudgetError as error:
        fail(str(error))


def say(line: str) -> None:
    typer.echo(line)


def warn(line: str) -> None:
    """Something to know that keeps nothing from being done."""
    typer.echo(f"course: {one_line(line)}", err=True)


def writable(path: Path) -> None:
    from nbjudge.course.soundness import require_target

    require_target(path)


def or_fail(
    function: Callable[Given, Result], *arguments: Given.args, **named: Given.kwargs
) -> Result:
    """Call it; a problem that its text explains ends the command with that text, no traceback."""
    try:
        return function(*arguments, **named)
    except RuntimeError as problem:
        fail(str(problem))


def fail(text: str) -> NoReturn:
    typer.echo(f"course: {one_line(text)}", err=True)
    raise typer.Exit(2)
