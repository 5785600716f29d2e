"""`course publish`, `roster`, `due`, `collect`, `feedback`, `extend`, `report`, `defend`, `export`,
`gradebook copy`: for those who run a class.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nbjudge.commands import common
from nbjudge.failures import one_line

if TYPE_CHECKING:
    from nbjudge.grading.config.folders import Course


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
        metavar="TIME|FILE",
        help="When the zip files came in, like '2026-11-21 18:00 UTC': now by default. Or a CSV "
        "with each student's time, such as Moodle's grading worksheet.",
    ),
]
Zone = Annotated[
    str | None,
    typer.Option(
        metavar="ZONE",
        help="The zone of times in such a CSV that say none, like Europe/Berlin: that of your Moodle profile.",
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
Send = Annotated[
    bool,
    typer.Option("--send", help="Put it into nbgrader's exchange, where students fetch it."),
]
HandBackTo = Annotated[
    Platform | None, typer.Option("--to", help="The platform that takes --zip FILE back.")
]
HandBackZip = Annotated[
    Path | None, typer.Option("--zip", help="The archive to write, for the platform to take back.")
]
Download = Annotated[
    Path | None, typer.Option(help="Canvas's download that was collected; for --to canvas.")
]
Minutes = Annotated[
    float | None,
    typer.Option(min=0, help="So much later than the due date; 0 takes an extension back."),
]
Until = Annotated[
    str | None,
    typer.Option(
        metavar="TIME",
        help="A due date of the student's own, like '2026-11-21 18:00 Europe/Berlin'; without a zone, in that of the class.",
    ),
]
NotEnrolled = Annotated[
    bool,
    typer.Option("--not-enrolled", help="Grant it to somebody whom the class does not know yet."),
]
ClassFile = Annotated[
    Path | None,
    typer.Argument(
        metavar="FILE.csv",
        help="Whom to enrol: a CSV of Canvas, Moodle, nbgrader or your spreadsheet. Without it, the class is listed.",
    ),
]
IdColumn = Annotated[
    str | None,
    typer.Option(
        "--id",
        metavar="COLUMN",
        help="The heading of the column that holds the students' ids, where that is not clear.",
    ),
]
JsonList = Annotated[
    Path | None, typer.Option("--json", metavar="FILE", help="Write the list as JSON.")
]
DueOf = Annotated[
    str | None,
    typer.Argument(metavar="ASSIGNMENT", help="The assignment; all are listed by default."),
]
DueTime = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="TIME",
        help="Like '2026-11-21 18:00 Europe/Berlin' or '2026-11-21 18:00 +01:00'; without a zone, in that of the class.",
    ),
]
NoDue = Annotated[bool, typer.Option("--none", help="Remove the due date.")]


AdoptFolder = Annotated[
    Path, typer.Argument(metavar="FOLDER", help="Where you type nbgrader's commands.")
]
Undo = Annotated[bool, typer.Option("--undo", help="Take the two lines out again.")]
Demo = Annotated[
    bool,
    typer.Option(
        "--demo",
        help="Show it on nbgrader's own example, with a forged submission, in a folder of its own.",
    ),
]


def adopt(folder: AdoptFolder = Path(), undo: Undo = False, demo: Demo = False) -> None:
    """Let nbgrader grade a course of yours in the sandbox, with its own commands.

    It adds two lines to nbgrader_config.py, and to nbgrader_config.json the setting without which
    nbgrader would go on outside the sandbox where these lines fail. Then it starts nbgrader in the
    course, and sends a notebook that tries to get out through the steps that your settings name;
    where it gets out, nothing is changed. A few lines in the settings of your environment keep
    `nbgrader validate` in the sandbox in other folders, too.
    """
    if demo:
        from nbjudge.course.adopt_demo import show

        common.or_fail(show, common.say)
        return
    from nbjudge.course import adopt as adopting
    from nbjudge.course import elsewhere

    if undo:
        elsewhere.give_back(folder)
        done = common.or_fail(adopting.give_back, folder)
        was = "nbgrader grades as it did before" if done.is_new else "nothing to undo: not adopted"
        typer.echo(f"{done.path}: {was}")
        return
    done = common.or_fail(adopting.adopt, folder)
    typer.echo(
        f"{done.path}: nbgrader grades this course in the sandbox{'' if done.is_new else ', as before'}. Type its own commands, as in "
        "`nbgrader autograde ASSIGNMENT`; `course adopt --undo` takes the two lines out again"
    )
    if done.tried is not None:
        typer.echo(f"tried: {done.tried}")
    typer.echo(elsewhere.adopt(folder))


def publish(
    assignments: common.Assignments = None,
    course: common.CourseOption = common.COURSE,
    db: common.DbOption = None,
    course_id: CourseId = None,
) -> None:
    """Put a release into the gradebook, the skeleton store and nbgrader's exchange."""
    from nbjudge.course.publish import publish as put

    folder = common.course_at(course, db)
    project = common.project()
    for done in put(folder, project, assignments or [], course_id=course_id, say=common.say):
        before = "" if done.was_new else " (as before)"
        typer.echo(f"published {done.assignment}, version {done.version}{before}, in {folder.root}")


def roster(
    file: ClassFile = None,
    course: common.CourseOption = common.COURSE,
    db: common.DbOption = None,
    id_column: IdColumn = None,
    json_file: JsonList = None,
) -> None:
    """Enrol a class from a CSV file, or list who is enrolled.

    Type it again with a newer file for late joiners: it adds and updates, and never removes anybody.
    Students are told apart by their id, which is the name that they log in or hand in with. Exits
    with 2 when a line was not taken; the others are.
    """
    from nbjudge.course import class_lists, enrolment

    if id_column is not None and file is None:
        common.fail("--id is for a CSV file: type `course roster FILE.csv --id COLUMN`")
    if json_file is not None:
        common.writable(json_file)
    folder = common.course_at(course, db)
    if file is None:
        done = common.or_fail(enrolment.enrolled, folder)
    else:
        done = common.or_fail(enrolment.enrol, folder, file, id_column)
    class_lists.show_class(done, folder, file)
    if json_file is not None:
        json_file.write_text(json.dumps(done.to_json(), indent=1) + "\n")
    for refusal in done.refused:
        typer.echo(f"course: not enrolled: {one_line(refusal)}", err=True)
    raise typer.Exit(2 if done.refused else 0)


def due(
    assignment: DueOf = None,
    *,
    time: DueTime = None,
    none: NoDue = False,
    course: common.CourseOption = common.COURSE,
    db: common.DbOption = None,
    json_file: JsonList = None,
) -> None:
    """Set when an assignment is due, or list all due dates, with their time zone.

    The zone of the class is c.NbGraderAPI.timezone in nbgrader_config.py, which formgrader shows
    times in, and UTC where that is not set. Late penalties are worked out anew at once.
    """
    from nbjudge.course import class_lists
    from nbjudge.course import due as dates

    typed = " ".join(time or [])
    if none and (typed or assignment is None):
        common.fail("--none removes one date: type `course due ASSIGNMENT --none`, without a time")
    if json_file is not None:
        common.writable(json_file)
    folder = common.course_at(course, db)
    if assignment is not None and (typed or none):
        done = common.or_fail(dates.set_due, folder, assignment, typed or None)
    else:
        done = common.or_fail(dates.listed, folder, assignment)
    class_lists.show_dues(done)
    if json_file is not None:
        json_file.write_text(json.dumps(done.to_json(), indent=1) + "\n")


def collect(
    assignment: common.Assignment,
    *,
    course: common.CourseOption = common.COURSE,
    db: common.DbOption = None,
    zips: Zips = None,
    told: Told = None,
    roster: RosterFile = None,
    platform: From = None,
    newest: Newest = False,
    received: Received = None,
    zone: Zone = None,
) -> None:
    """Collect submissions from nbgrader's exchange, or from zip files.

    Nothing is deleted: what a newer submission replaces is moved to replaced/ in the course folder.
    Exits with 2 when a zip file was refused.
    """
    from nbjudge.course import collecting

    folder = common.course_at(course, db)
    if zips:
        bulk = platform.value if platform else None
        order = collecting.order(zips, told or [], bulk, newest, received)
        each = Path(received) if received and collecting.is_file(received) else None
        if zone and each is None:
            common.fail("--zone is for a CSV with times: name it with --received FILE.csv")
        done = collecting.from_archives(
            folder, assignment, zips, options=order, csv=roster, each=each, zone=zone
        )
    elif told or roster or platform or newest or received or zone:
        common.fail(
            "--as, --roster, --from, --newest, --received and --zone are for zip files: name them with --zip"
        )
    else:
        done = collecting.from_exchange(folder, assignment)
    for line in collecting.lines(done, folder):
        typer.echo(line)
    for problem in collecting.refusals(done, folder):
        typer.echo(f"course: {problem}", err=True)
    raise typer.Exit(2 if zips and done.refused else 0)


def report(
    assignment: common.Assignment,
    *,
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
    from nbjudge.course import report as reports
    from nbjudge.course.report import page, terminal

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
    *,
    course: common.CourseOption = common.COURSE,
    db: common.DbOption = None,
    student: common.OneStudent = None,
    send: Send = False,
    platform: HandBackTo = None,
    archive: HandBackZip = None,
    download: Download = None,
    roster: RosterFile = None,
) -> None:
    """Write feedback pages for graded submissions."""
    from nbjudge.course import feedback as pages
    from nbjudge.course import live

    if (platform is None) != (archive is None) or (platform is None and (download or roster)):
        common.fail(
            "an archive for a platform takes both: `course feedback ASSIGNMENT --to moodle --zip FILE.zip`"
        )
    if archive is not None:
        common.writable(archive)
    folder = common.course_at(course, db)
    with live.counting("feedback of students") as told:
        written = common.or_fail(
            pages.feedback, folder, assignment, student or [], told=told, noticed=common.say
        )
    typer.echo(f"{len(written)} page{'s' * (len(written) != 1)} in {folder.feedback}")
    if archive is not None and platform is not None:
        _hand_back(
            folder,
            assignment,
            archive,
            platform=platform.value,
            csv=roster,
            download=download,
            students=student or [],
        )
    if send:
        sent = common.or_fail(pages.return_feedback, folder, assignment, student or [])
        typer.echo(
            f"those of {len(sent.students)} students are in the exchange at {folder.exchange}"
        )
        if sent.left_out:
            typer.echo(
                f"not sent, because they did not hand in through the exchange: {', '.join(sent.left_out)}"
            )


def _hand_back(
    folder: Course,
    assignment: str,
    archive: Path,
    *,
    platform: str,
    csv: Path | None,
    download: Path | None,
    students: Sequence[str],
) -> None:
    from nbjudge.course import handing_back, roster

    known = common.or_fail(roster.of_course, folder)
    known = common.or_fail(roster.with_csv, known, csv) if csv else known
    done = common.or_fail(
        handing_back.write,
        folder,
        assignment,
        archive,
        platform=platform,
        roster=known,
        download=download,
        students=students,
    )
    typer.echo(
        f"those of {len(done.students)} student{'s' * (len(done.students) != 1)} are in {archive}, for {platform.title()}"
    )
    for line in done.left_out:
        common.warn(f"left out: {line}")


def extend(
    assignment: common.Assignment,
    student: Annotated[str, typer.Argument(help="The student's id.")],
    *,
    minutes: Minutes = None,
    until: Until = None,
    not_enrolled: NotEnrolled = False,
    course: common.CourseOption = common.COURSE,
    db: common.DbOption = None,
) -> None:
    """Let one student hand in later, before or after it is graded."""
    from nbjudge.course.extend import extend as grant

    folder = common.course_at(course, db)
    words = common.or_fail(
        grant,
        folder,
        assignment,
        student,
        minutes=minutes,
        until=until,
        unenrolled=not_enrolled,
    )
    typer.echo(words)


Ticks = Annotated[
    Path | None,
    typer.Option(
        "--ticks",
        metavar="FILE",
        help="Read ticks.csv back, with what the students ticked: into the report and the gradebook.",
    ),
]
DefendSeed = Annotated[
    int | None,
    typer.Option(
        help="Seed of the choice of questions. Drawn once for each assignment by default."
    ),
]
DefendOut = Annotated[
    Path | None,
    typer.Option(
        "--out",
        metavar="DIR",
        help="Where to write: defend/ASSIGNMENT in the course folder by default.",
    ),
]
DefendPdf = Annotated[
    bool, typer.Option("--pdf", help="Write sheets.pdf too, with the system's Chromium.")
]
DefendJobs = Annotated[
    int | None,
    typer.Option(min=1, help="How many submissions at once. The number of cores by default."),
]


def defend(
    assignment: common.Assignment,
    *,
    course: common.CourseOption = common.COURSE,
    db: common.DbOption = None,
    student: common.OneStudent = None,
    ticks: Ticks = None,
    seed: DefendSeed = None,
    out: DefendOut = None,
    pdf: DefendPdf = False,
    jobs: DefendJobs = None,
) -> None:
    """Write a page for each graded submission, to print, with three questions about the student's
    own code; a key; and a list for the ticks.

    What is right was computed: the code ran in the sandbox as it was handed in, and with one small
    change each. No mark changes. Type the same command again to go on where it was stopped.
    """
    import os

    from nbjudge.course import defend as defending

    folder = common.course_at(course, db, gradebook=True)
    if ticks is not None:
        _take_ticks(folder, assignment, ticks)
        return
    if pdf:
        common.or_fail(defending.browser)
    done = common.or_fail(
        defending.defend,
        folder,
        assignment,
        student or [],
        seed=seed,
        out=out,
        jobs=jobs or len(os.sched_getaffinity(0)),
        say=common.say,
    )
    page = done.folder / "sheets.html"
    if pdf:
        page = common.or_fail(defending.pdf, page)
    typer.echo(f"{len(done.sheets)} pages in {page}; the key lies beside it")
    for sheet in done.fewer:
        common.warn(
            f"{sheet.student} has {len(sheet.asked)} questions about {sheet.exercise}: {sheet.why_fewer}"
        )


def _take_ticks(folder: Course, assignment: str, file: Path) -> None:
    from nbjudge.course import defend as defending

    taken = common.or_fail(defending.take, folder, assignment, file)
    for score in taken.scores:
        typer.echo(f"{score.student}: {score.right} of {score.asked} about {score.exercise}")
    where = (
        f", and in the gradebook as the mark of the cell defend of {taken.notebook}"
        if taken.notebook
        else ""
    )
    typer.echo(f"the answers of {len(taken.scores)} students are in the report{where}")
    if taken.waiting:
        common.warn(f"nothing is ticked for {', '.join(taken.waiting)}")


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
    submission lost, and after it. Marks that are not complete are named.
    """
    from nbjudge.course.export import export as write

    folder = common.course_at(course, db, gradebook=True)
    common.writable(target)
    rows = common.or_fail(write, folder, to.value, target, by.value, noticed=common.warn)
    typer.echo(f"{rows} rows in {target}")


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
    from nbjudge.course import move

    typer.echo(common.or_fail(move.copy, common.course_at(course, db), to))
