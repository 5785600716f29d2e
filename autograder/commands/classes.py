"""`course publish`, `collect`, `feedback`, `extend`, `report`, `export`, `gradebook copy`: for
those who run a class.
"""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from autograder.commands import common


class Platform(StrEnum):
    moodle = "moodle"
    canvas = "canvas"


class Columns(StrEnum):
    assignment = "assignment"
    notebook = "notebook"
    question = "question"


class Format(StrEnum):
    csv = "csv"
    canvas = "canvas"
    moodle = "moodle"


CourseId = Annotated[
    str | None,
    typer.Option("--course-id", help="Name the class: several may share an exchange."),
]
Zips = Annotated[
    list[Path] | None,
    typer.Option("--zip", help="A zip file STUDENT_ASSIGNMENT.zip; more than once if you like."),
]
Told = Annotated[
    list[str] | None,
    typer.Option(
        "--as",
        metavar="STUDENT[=FILE]",
        help="Whose the zip file is, whatever its name and manifest say.",
    ),
]
RosterFile = Annotated[
    Path | None,
    typer.Option(
        help="A CSV with columns student, lms_user_id, email, file: what you have of them."
    ),
]
From = Annotated[
    Platform | None,
    typer.Option("--from", help="The zip files are bulk downloads of this platform."),
]
Newest = Annotated[
    bool,
    typer.Option("--newest", help="Of two zip files of one student, take the one packed last."),
]
Received = Annotated[
    str | None,
    typer.Option(
        metavar="TIME",
        help="When the zip files came in, like '2026-11-21 18:00 UTC'. Now by default.",
    ),
]
Html = Annotated[Path | None, typer.Option("--html", metavar="FILE", help="Write a page as well.")]
Json = Annotated[
    Path | None, typer.Option("--json", metavar="FILE", help="Write the report as JSON.")
]
Names = Annotated[
    bool,
    typer.Option("--names", help="With the students' names; numbers stand for them by default."),
]
Earlier = Annotated[
    list[Path] | None,
    typer.Option(
        "--earlier",
        metavar="FOLDER",
        help="The course folder of an earlier term, to compare with; may be given more than once.",
    ),
]
OneStudent = Annotated[
    list[str] | None, typer.Option(help="Only this student; may be given more than once.")
]
Send = Annotated[
    bool,
    typer.Option("--send", help="Put it into nbgrader's exchange, where students fetch it."),
]
Minutes = Annotated[
    float | None,
    typer.Option(min=0, help="So much later than the due date; 0 takes an extension back."),
]
Until = Annotated[
    str | None,
    typer.Option(
        help="A due date of the student's own, like '2026-11-21 18:00'; UTC without a zone."
    ),
]


def publish(
    assignments: common.Assignments = None,
    course: common.CourseOption = common.COURSE,
    db: common.DbOption = None,
    course_id: CourseId = None,
) -> None:
    """Put a release into the gradebook, the skeleton store and nbgrader's exchange."""
    from autograder.course.publish import publish as put

    folder, project = common.course_at(course, db), common.project()
    for done in put(folder, project, assignments or [], course_id=course_id, say=common.say):
        before = "" if done.was_new else " (as before)"
        typer.echo(f"published {done.assignment}, version {done.version}{before}, in {folder.root}")


def collect(
    assignment: common.Assignment,
    course: common.CourseOption = common.COURSE,
    db: common.DbOption = None,
    zips: Zips = None,
    told: Told = None,
    roster: RosterFile = None,
    platform: From = None,
    newest: Newest = False,
    received: Received = None,
) -> None:
    """Collect submissions from nbgrader's exchange, or from zip files.

    Nothing is deleted: what a newer submission replaces is moved to replaced/ in the course folder.
    Exits with 2 when a zip file was refused.
    """
    from autograder.course import collecting

    folder = common.course_at(course, db)
    if zips:
        bulk = platform.value if platform else None
        order = collecting.order(zips, told or [], bulk, newest, received)
        done = collecting.from_archives(folder, assignment, zips, order, roster)
    elif told or roster or platform or newest or received:
        common.fail(
            "--as, --roster, --from, --newest and --received are for zip files: name them with --zip"
        )
    else:
        done = collecting.from_exchange(folder, assignment)
    for line in collecting.lines(done, folder):
        typer.echo(line)
    for problem in done.refused:
        typer.echo(f"course: not taken: {problem}", err=True)
    raise typer.Exit(2 if zips and done.refused else 0)


def report(
    assignment: common.Assignment,
    course: common.CourseOption = common.COURSE,
    db: common.DbOption = None,
    html: Html = None,
    json_file: Json = None,
    names: Names = False,
    earlier: Earlier = None,
) -> None:
    """Say what a class got wrong: marks, difficulty, rungs, misconceptions; who handed in the same,
    and pairs of submissions that are alike.
    """
    from autograder.course import report as reports
    from autograder.course.report import page, terminal

    for target in filter(None, (html, json_file)):
        common.writable(target)
    folder = common.course_at(course, db)
    found = common.or_fail(reports.of, folder, assignment, names, earlier or [])
    terminal.show(found)
    if html is not None:
        html.write_text(page.page(found), encoding="utf-8")
        typer.echo(f"page  {html}")
    if json_file is not None:
        json_file.write_text(json.dumps(found.to_json(), indent=1) + "\n")


def feedback(
    assignment: common.Assignment,
    course: common.CourseOption = common.COURSE,
    db: common.DbOption = None,
    student: OneStudent = None,
    send: Send = False,
) -> None:
    """Write feedback pages for graded submissions."""
    from autograder.course import feedback as pages
    from autograder.course import live

    folder = common.course_at(course, db)
    with live.counting("feedback of students") as told:
        written = common.or_fail(
            pages.feedback, folder, assignment, student or [], told=told, noticed=common.say
        )
    typer.echo(f"{len(written)} page{'s' * (len(written) != 1)} in {folder.feedback}")
    if send:
        sent = common.or_fail(pages.return_feedback, folder, assignment, student or [])
        typer.echo(
            f"those of {len(sent.students)} students are in the exchange at {folder.exchange}"
        )
        if sent.left_out:
            typer.echo(
                f"not sent, because they did not hand in through the exchange: {', '.join(sent.left_out)}"
            )


def extend(
    assignment: common.Assignment,
    student: Annotated[str, typer.Argument(help="The student's id.")],
    minutes: Minutes = None,
    until: Until = None,
    course: common.CourseOption = common.COURSE,
) -> None:
    """Let one student hand in later, before or after it is graded."""
    from autograder.course.extend import extend as grant

    typer.echo(common.or_fail(grant, common.course_at(course), assignment, student, minutes, until))


For = Annotated[Format, typer.Option("--to", help="What the file is for.")]
By = Annotated[Columns, typer.Option("--by", help="A column for each of these.")]


def export(
    target: Annotated[Path, typer.Argument(help="The file to write.")],
    to: For = Format.csv,
    by: By = Columns.assignment,
    course: common.CourseOption = common.COURSE,
    db: common.DbOption = None,
) -> None:
    """Write the gradebook's scores as CSV, for people, Canvas or Moodle; with what a late
    submission lost, and after it.
    """
    from autograder.course.export import export as write

    folder = common.course_at(course, db, gradebook=True)
    common.writable(target)
    typer.echo(f"{write(folder, to.value, target, by.value)} rows in {target}")


NewDatabase = Annotated[
    str,
    typer.Option(
        "--to",
        metavar="URL",
        help="The new database, which must be empty: postgresql://USER@HOST/NAME.",
    ),
]


def gradebook_copy(
    to: NewDatabase,
    course: common.CourseOption = common.COURSE,
    db: common.DbOption = None,
) -> None:
    """Copy the gradebook into another database, and use that one from now on."""
    from autograder.course import move

    typer.echo(common.or_fail(move.copy, common.course_at(course, db), to))
