"""`course release`, `new-exercise`, `answers`: for those who write exercises."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from nbjudge import plain_text, typed
from nbjudge.commands import common

Bundle = Annotated[
    Path | None, typer.Option(help="Write the students' edition into this zip file as well.")
]
Draws = Annotated[
    int | None,
    typer.Option(
        min=0,
        help="Draws of fresh cases for practice, for each exercise. As many as labs/ holds by default.",
    ),
]
NewName = Annotated[
    str, typer.Argument(help="Its id, and the function's name: small letters, digits and _.")
]
InAssignment = Annotated[
    str, typer.Option("--assignment", help="The assignment that its notebook belongs to.")
]


def release(
    assignments: common.Assignments = None,
    bundle: Bundle = None,
    practice: Draws = None,
    budget: common.Budget = None,
) -> None:
    """Generate labs/ and the public references from solutions/."""
    from nbjudge.course import bundle as bundles
    from nbjudge.course.release import release as make
    from nbjudge.grading.config.budget import Budget

    project = common.project()
    seconds = common.seconds(budget)
    if bundle is not None:
        common.writable(bundle)
    own = replace(Budget(), **seconds) if seconds else None
    for name in common.or_fail(make, project, assignments or [], common.say, practice, own):
        typer.echo(f"released {name} -> {project.labs / name}")
    if bundle is not None:
        names = bundles.bundle(project, bundle)
        typer.echo(f"wrote the students' edition: {bundle}, {len(names)} files")


def new_exercise(name: NewName, assignment: InAssignment) -> None:
    """Write a complete exercise that runs, in this folder or in the course that it belongs to:
    change it into your own.
    """
    from nbjudge.course.new_exercise import write
    from nbjudge.grading.config.folders import FolderError, Project

    try:
        root = Project.find().root
    except FolderError:
        root = Path.cwd()
    for path in common.or_fail(write, root, name, assignment):
        typer.echo(f"wrote {path.relative_to(root)}")
    typer.echo(f"now type `{typed.command('release', assignment)}`")


def answers(
    exercise: Annotated[str, typer.Argument(help="The exercise, for example dropout.")],
) -> None:
    """Grade the stored answers of an exercise, and hold each against what it declares.

    Exits with 1 when one gets something else, when one that does none of the work earns an item,
    when a finding sends to a section that is not there, and when no answer shows a misconception. It
    also names the items that no answer loses while it earns others: store one that does.
    """
    from nbjudge.course.answers import grade, misconceptions, unproved

    def show() -> bool:
        is_right = True
        shown = set()
        stored = []
        for outcome in grade(project, exercise):
            typer.echo(plain_text.line(str(outcome)))
            is_right &= not outcome.problem
            shown.add(outcome.verdict.broken and outcome.verdict.broken.misconception)
            stored.append(outcome.answer)
        unseen = sorted(misconceptions(exercise).keys() - shown)
        if unseen:
            typer.echo(f"no answer shows: {', '.join(unseen)}")
        if items := unproved(exercise, stored):
            typer.echo(plain_text.line(f"no answer earns something and loses: {', '.join(items)}"))
        return is_right and not unseen

    project = common.project()
    raise typer.Exit(0 if common.or_fail(show) else 1)
