"""The `course` command."""

from __future__ import annotations

import json
import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from autograder import plain_text
from autograder.commands.bench import bench
from autograder.failures import OneLine, one_line

app = typer.Typer(
    cls=OneLine,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    help="Labs on ML model formats: work on them, check them, grade them.",
)

gradebook_app = typer.Typer(no_args_is_help=True, help="The gradebook's database.")
app.add_typer(gradebook_app, name="gradebook")
app.command()(bench)

CourseOption = Annotated[Path, typer.Option("--course", help="The course folder: submissions, gradebook, feedback.")]
COURSE = Path("course-data")
DbOption = Annotated[str | None, typer.Option("--db", metavar="URL", help="The gradebook's database: the course folder's own by default.")]
Assignments = Annotated[list[str] | None, typer.Argument(help="Assignments, for example day-50. All of them by default.")]
Assignment = Annotated[str, typer.Argument(help="The assignment, for example day-50.")]


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


@app.command()
def lab(
    folder: Annotated[Path | None, typer.Argument(help="Where your work is kept: my-course/ by default.")] = None,
    port: Annotated[int, typer.Option(help="The port of JupyterLab; the next free one if it is taken.")] = 8888,
    browser: Annotated[bool, typer.Option(help="Open a browser.")] = True,
    instructor: Annotated[bool, typer.Option("--instructor", help="With nbgrader's formgrader, on the course folder.")] = False,
    course: CourseOption = COURSE,
) -> None:
    """Open JupyterLab on the course, with the labs ready."""
    from autograder.lab import launch

    try:
        launch(folder, port=port, browser=browser, course=course if instructor else None)
    except RuntimeError as problem:
        _fail(str(problem))


@app.command()
def check(
    notebooks: Annotated[list[Path] | None, typer.Argument(help="Lab notebooks. Those of the current folder by default.")] = None,
    practice: Annotated[bool, typer.Option("--practice", help="With fresh cases of every kind that a grader draws.")] = False,
    seed: Annotated[int | None, typer.Option(help="The practice draw with this number, to repeat it.")] = None,
) -> None:
    """Run lab notebooks and show the public ladder of each exercise."""
    from autograder.course.ladders import run_ladders

    paths = notebooks or sorted(Path.cwd().glob("*.ipynb"))
    if not paths:
        _fail("there is no notebook here: name one, for example `course check labs/day-50/dropout.ipynb`")
    passed = True
    for path in paths:
        if not path.is_file():
            _fail(f"there is no notebook {path}")
        ladder = _or_fail(run_ladders, path, practice or seed is not None, seed)
        typer.echo(f"{path}\n{ladder.text}\n")
        passed &= ladder.passed
    raise typer.Exit(0 if passed else 1)


@app.command()
def doctor(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """Say what works on this machine, and what to type where something does not."""
    from autograder import doctor as examination

    raise typer.Exit(examination.main(as_json=as_json))


@app.command()
def release(
    assignments: Assignments = None,
    bundle: Annotated[Path | None, typer.Option(help="Write the students' edition into this zip file as well.")] = None,
    practice: Annotated[
        int | None, typer.Option(min=0, help="Draws of fresh cases for practice, for each exercise. As many as labs/ holds by default.")
    ] = None,
) -> None:
    """Generate labs/ and the public references from solutions/."""
    from autograder.course import bundle as bundles
    from autograder.course.release import release as make

    project = _project()
    if bundle is not None:
        _writable(bundle)
    for name in _or_fail(make, project, assignments or [], _progress, practice):
        typer.echo(f"released {name} -> {project.labs / name}")
    if bundle is not None:
        names = bundles.bundle(project, bundle)
        typer.echo(f"wrote the students' edition: {bundle}, {len(names)} files")


@app.command("new-exercise")
def new_exercise(
    name: Annotated[str, typer.Argument(help="Its id, and the function's name: small letters, digits and _.")],
    assignment: Annotated[str, typer.Option("--assignment", help="The assignment that its notebook belongs to.")],
) -> None:
    """Write a complete exercise that runs, in this folder or in the course that it belongs to: change it into your own."""
    from autograder.course.new_exercise import write
    from autograder.grading.folders import FolderError, Project

    try:
        root = Project.find().root
    except FolderError:
        root = Path.cwd()
    for path in _or_fail(write, root, name, assignment):
        typer.echo(f"wrote {path.relative_to(root)}")
    typer.echo(f"now type: course release {assignment}")


@app.command()
def answers(exercise: Annotated[str, typer.Argument(help="The exercise, for example dropout.")]) -> None:
    """Grade the stored answers of an exercise, and hold each against what it declares.

    Exits with 1 when one gets something else.
    """
    from autograder.course import answers as stored

    is_right = True
    for answer, verdict in _or_fail(lambda: list(stored.grade(_project(), exercise))):
        problem = answer.differs(verdict)
        shown = f"it gets {problem}" if problem else stored.outcome(verdict)
        typer.echo(f"{answer.name}: {plain_text.line(shown)}")
        is_right &= not problem
    raise typer.Exit(0 if is_right else 1)


@app.command()
def publish(
    assignments: Assignments = None,
    course: CourseOption = COURSE,
    db: DbOption = None,
    course_id: Annotated[str | None, typer.Option("--course-id", help="Name the class: several may share an exchange.")] = None,
) -> None:
    """Put a release into the gradebook, the skeleton store and nbgrader's exchange."""
    from autograder.course.publish import publish as put

    folder = _course(course, db)
    for done in put(folder, _project(), assignments or [], course_id=course_id, say=_progress):
        typer.echo(f"published {done.assignment}, version {done.version}{'' if done.was_new else ' (as before)'}, in {folder.root}")


@app.command()
def submit(
    folder: Annotated[Path, typer.Argument(help="The folder of the lab, for example day-50.")],
    exchange: Annotated[Path | None, typer.Option(envvar="AUTOGRADER_EXCHANGE", help="nbgrader's exchange.")] = None,
    zip_file: Annotated[Path | None, typer.Option("--zip", help="Write a zip file to upload instead.")] = None,
    student: Annotated[str | None, typer.Option("--as", metavar="NAME", help="Your name in class, for the zip file.")] = None,
) -> None:
    """Hand in a lab: through your class's exchange if --exchange or AUTOGRADER_EXCHANGE names one, else as a zip file."""
    from autograder.course import exchange as exchanges

    folder = folder.resolve()
    if exchange is not None and zip_file is None:
        if student is not None:
            _fail("--as is for zip files: the exchange takes the name that you are logged in with. Add --zip FILE, or leave --as out")
        when = _or_fail(exchanges.submit, folder, exchange.resolve())
        typer.echo(f"handed in {folder.name} at {when}")
    else:
        path = _or_fail(exchanges.pack, folder, zip_file or exchanges.default_archive(folder, student), student)
        typer.echo(f"packed {folder.name} into {path}: upload that file where your class hands in")


@app.command()
def collect(
    assignment: Assignment,
    course: CourseOption = COURSE,
    db: DbOption = None,
    zips: Annotated[list[Path] | None, typer.Option("--zip", help="A zip file STUDENT_ASSIGNMENT.zip; more than once if you like.")] = None,
    told: Annotated[
        list[str] | None, typer.Option("--as", metavar="STUDENT[=FILE]", help="Whose the zip file is, whatever its name and manifest say.")
    ] = None,
    roster: Annotated[
        Path | None, typer.Option(help="A CSV with columns student, lms_user_id, email, file: what you have of them.")
    ] = None,
    platform: Annotated[Platform | None, typer.Option("--from", help="The zip files are bulk downloads of this platform.")] = None,
    newest: Annotated[bool, typer.Option("--newest", help="Of two zip files of one student, take the one packed last.")] = False,
    received: Annotated[
        str | None, typer.Option(metavar="TIME", help="When the zip files came in, like '2026-11-21 18:00 UTC'. Now by default.")
    ] = None,
) -> None:
    """Collect submissions from nbgrader's exchange, or from zip files.

    Nothing is deleted: what a newer submission replaces is moved to replaced/ in the course folder. Exits with 2 when a zip file was
    refused.
    """
    from autograder.course import collecting

    folder = _course(course, db)
    if zips:
        order = collecting.order(zips, told or [], platform.value if platform else None, newest, received)
        done = collecting.from_archives(folder, assignment, zips, order, roster)
    elif told or roster or platform or newest or received:
        _fail("--as, --roster, --from, --newest and --received are for zip files: name them with --zip")
    else:
        done = collecting.from_exchange(folder, assignment)
    for line in collecting.lines(done, folder):
        typer.echo(line)
    for problem in done.refused:
        typer.echo(f"course: not taken: {problem}", err=True)
    raise typer.Exit(2 if zips and done.refused else 0)


@app.command()
def grade(
    assignment: Assignment,
    course: CourseOption = COURSE,
    db: DbOption = None,
    submitted: Annotated[
        Path | None, typer.Option(help="Submissions, as DIR/STUDENT/ASSIGNMENT/*.ipynb. The course's own by default.")
    ] = None,
    student: Annotated[list[str] | None, typer.Option(help="Only this student; may be given more than once.")] = None,
    jobs: Annotated[int | None, typer.Option(min=1, help="How many submissions at once. The number of cores by default.")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the hidden cases, for this run only.")] = None,
    new_seed: Annotated[bool, typer.Option("--new-seed", help="Draw a new seed and grade everybody again.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Grade again what was graded already.")] = False,
    pretrained: Annotated[bool, typer.Option("--pretrained", help="With cases of published weights too: far larger and slower.")] = False,
    scheduler: Annotated[str | None, typer.Option(help="A Dask scheduler, tls://HOST:PORT, to grade on its workers.")] = None,
    tls_ca: Annotated[Path | None, typer.Option("--tls-ca", help="The certificate authority of the scheduler and its workers.")] = None,
    tls_cert: Annotated[Path | None, typer.Option("--tls-cert", help="Your own certificate, for the scheduler.")] = None,
    tls_key: Annotated[Path | None, typer.Option("--tls-key", help="The key of your certificate.")] = None,
    insecure_scheduler: Annotated[
        bool,
        typer.Option("--insecure-scheduler", help="Allow tcp://: whoever reaches the scheduler runs code on it and reads submissions."),
    ] = False,
    budget: Annotated[
        str | None, typer.Option(metavar="cell=S,case=S,notebook=S,submission=S", help="Seconds for students' code; some, or all of them.")
    ] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the results as JSON.")] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Say of each notebook why it was, or was not, graded again.")] = False,
) -> None:
    """Grade an assignment, in the sandbox. Run it again to go on where it stopped.

    Exits with 0 when every submission was dealt with, 3 when some were not graded through a fault of the harness,
    2 when it refused to start.
    """
    from autograder.course import live
    from autograder.course.publish import PublishRefused, publish_first
    from autograder.grading import budget as budgets
    from autograder.grading import coordinator, table
    from autograder.grading.cluster import Scheduler

    try:
        own = budgets.parse(budget) if budget else None
    except budgets.BudgetError as error:
        _fail(str(error))
    if json_file is not None:
        _writable(json_file)
    folder = _course(course, db)
    cluster = _or_fail(Scheduler.of, scheduler, tls_ca, tls_cert, tls_key, insecure_scheduler) if scheduler else None
    order = coordinator.Order(assignment, submitted, student or (), jobs, seed, new_seed, force, cluster, own, pretrained)
    try:
        if first := publish_first(folder, assignment, _progress):
            typer.echo(f"published {assignment}, version {first.version}, in {folder.root}: it was a fresh course folder")
        with live.progress() as watch:
            report = coordinator.grade(folder, order, watch)
    except (coordinator.Refused, PublishRefused) as refusal:
        _fail(str(refusal))
    table.show(report)
    if explain:
        table.explain(report)
    if json_file is not None:
        try:
            json_file.write_text(json.dumps(report.to_json(), indent=1) + "\n")
        except OSError as error:
            raise OSError(error.errno, f"{error.strerror}, and the marks are in the gradebook", str(json_file)) from None
    raise typer.Exit(report.exit_code)


@app.command()
def report(
    assignment: Assignment,
    course: CourseOption = COURSE,
    db: DbOption = None,
    html: Annotated[Path | None, typer.Option("--html", metavar="FILE", help="Write a page as well.")] = None,
    json_file: Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Write the report as JSON.")] = None,
    names: Annotated[bool, typer.Option("--names", help="With the students' names; numbers stand for them by default.")] = False,
) -> None:
    """Say what a class got wrong: marks, difficulty, rungs, misconceptions, and pairs of submissions that are alike."""
    from autograder.course import report as reports
    from autograder.course.report import page, terminal

    for target in filter(None, (html, json_file)):
        _writable(target)
    found = _or_fail(reports.of, _course(course, db), assignment, names)
    terminal.show(found)
    if html is not None:
        html.write_text(page.page(found), encoding="utf-8")
        typer.echo(f"page  {html}")
    if json_file is not None:
        json_file.write_text(json.dumps(found.to_json(), indent=1) + "\n")


@app.command()
def feedback(
    assignment: Assignment,
    course: CourseOption = COURSE,
    db: DbOption = None,
    student: Annotated[list[str] | None, typer.Option(help="Only this student; may be given more than once.")] = None,
    send: Annotated[bool, typer.Option("--send", help="Put it into nbgrader's exchange, where students fetch it.")] = False,
) -> None:
    """Write feedback pages for graded submissions."""
    from autograder.course import feedback as pages

    folder = _course(course, db)
    written = _or_fail(pages.feedback, folder, assignment, student or [])
    typer.echo(f"{len(written)} pages in {folder.feedback}")
    if send:
        sent = _or_fail(pages.return_feedback, folder, assignment, student or [])
        typer.echo(f"those of {len(sent.students)} students are in the exchange at {folder.exchange}")
        if sent.left_out:
            typer.echo(f"not sent, because they did not hand in through the exchange: {', '.join(sent.left_out)}")


@app.command()
def extend(
    assignment: Assignment,
    student: Annotated[str, typer.Argument(help="The student's id.")],
    minutes: Annotated[float | None, typer.Option(min=0, help="So much later than the due date; 0 takes an extension back.")] = None,
    until: Annotated[str | None, typer.Option(help="A due date of the student's own, like '2026-11-21 18:00'; UTC without a zone.")] = None,
    course: CourseOption = COURSE,
) -> None:
    """Let one student hand in later, before or after it is graded."""
    from autograder.course.extend import extend as grant

    typer.echo(_or_fail(grant, _course(course), assignment, student, minutes, until))


@app.command()
def export(
    target: Annotated[Path, typer.Argument(help="The file to write.")],
    to: Annotated[Format, typer.Option("--to", help="What the file is for.")] = Format.csv,
    by: Annotated[Columns, typer.Option("--by", help="A column for each of these.")] = Columns.assignment,
    course: CourseOption = COURSE,
    db: DbOption = None,
) -> None:
    """Write the gradebook's scores as CSV, for people, Canvas or Moodle; with what a late submission lost, and after it."""
    from autograder.course.export import export as write

    folder = _course(course, db, gradebook=True)
    _writable(target)
    typer.echo(f"{write(folder, to.value, target, by.value)} rows in {target}")


@gradebook_app.command("copy")
def gradebook_copy(
    to: Annotated[str, typer.Option("--to", metavar="URL", help="The new database, which must be empty: postgresql://USER@HOST/NAME.")],
    course: CourseOption = COURSE,
    db: DbOption = None,
) -> None:
    """Copy the gradebook into another database, and use that one from now on."""
    from autograder.course import move

    typer.echo(_or_fail(move.copy, _course(course, db), to))


def _project():
    from autograder.grading.folders import Project

    return _or_fail(Project.find)


def _course(folder: Path, db: str | None = None, gradebook: bool = False):
    from autograder.course.soundness import require_sound
    from autograder.grading.folders import Course

    course = Course.at(folder, db)
    require_sound(course, gradebook)
    return course


def _progress(line: str) -> None:
    typer.echo(line)


def _writable(path: Path) -> None:
    from autograder.course.soundness import require_target

    require_target(path)


def _or_fail(function, *arguments):
    """Call it; a problem that its text explains ends the command with that text, never with a traceback."""
    try:
        return function(*arguments)
    except RuntimeError as problem:
        _fail(str(problem))


def _fail(text: str) -> None:
    typer.echo(f"course: {one_line(text)}", err=True)
    raise typer.Exit(2)


def main() -> None:
    for stream in (sys.stdout, sys.stderr):  # a name that the terminal's encoding lacks is no reason to stop
        stream.reconfigure(errors="backslashreplace")
    # nbgrader starts alembic by name, and it lies beside this Python.
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    app()


if __name__ == "__main__":
    sys.exit(main())
