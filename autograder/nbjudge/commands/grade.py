"""`course grade`."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from nbjudge.commands import common


class Shows(StrEnum):
    """What a student hears at once: the whole page, which items were earned, or how many."""

    PAGE = "page"
    ITEMS = "items"
    NUMBER = "number"


STOPPED = 130  # what a shell reports of a command that Ctrl-C ended


Submitted = Annotated[
    Path | None,
    typer.Option(
        help="Submissions, as DIR/STUDENT/ASSIGNMENT/*.ipynb. The course's own by default."
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option(min=1, help="How many submissions at once. The number of cores by default."),
]
Seed = Annotated[int | None, typer.Option(help="Seed of the hidden cases, for this run only.")]
NewSeed = Annotated[
    bool, typer.Option("--new-seed", help="Draw a new seed and grade everybody again.")
]
Force = Annotated[bool, typer.Option("--force", help="Grade again what was graded already.")]
Regrade = Annotated[
    bool,
    typer.Option(
        "--regrade",
        help="Grade again also whose marks were fed back, and print each old mark beside the new one first.",
    ),
]
Pretrained = Annotated[
    bool,
    typer.Option(
        "--pretrained", help="With cases of published weights too: far larger and slower."
    ),
]
SchedulerAddress = Annotated[
    str | None, typer.Option(help="A Dask scheduler, tls://HOST:PORT, to grade on its workers.")
]
TlsCa = Annotated[
    Path | None,
    typer.Option("--tls-ca", help="The certificate authority of the scheduler and its workers."),
]
TlsCert = Annotated[
    Path | None, typer.Option("--tls-cert", help="Your own certificate, for the scheduler.")
]
TlsKey = Annotated[Path | None, typer.Option("--tls-key", help="The key of your certificate.")]
Json = Annotated[Path | None, typer.Option("--json", help="Write the results as JSON.")]
Explain = Annotated[
    bool,
    typer.Option("--explain", help="Say of each notebook why it was, or was not, graded again."),
]


Watch = Annotated[
    bool,
    typer.Option(
        "--watch",
        help="Go on watching the exchange: collect, grade and send feedback for each submission as it arrives.",
    ),
]
Show = Annotated[
    Shows | None,
    typer.Option(
        help="With --watch, what a student hears: the whole page, which items were earned, or their number."
    ),
]


def grade(
    assignment: common.Assignment,
    *,
    course: common.CourseOption = common.COURSE,
    db: common.DbOption = None,
    submitted: Submitted = None,
    student: common.OneStudent = None,
    jobs: Jobs = None,
    seed: Seed = None,
    new_seed: NewSeed = False,
    force: Force = False,
    regrade: Regrade = False,
    pretrained: Pretrained = False,
    scheduler: SchedulerAddress = None,
    tls_ca: TlsCa = None,
    tls_cert: TlsCert = None,
    tls_key: TlsKey = None,
    budget: common.Budget = None,
    json_file: Json = None,
    explain: Explain = False,
    watch: Watch = False,
    show: Show = None,
) -> None:
    """Grade an assignment, in the sandbox. Run it again to go on where it stopped.

    Marks for which `course feedback` has written a page stay as they are until --regrade, unless the
    student hands in something else.

    Exits with 0 when every submission was dealt with, 3 when some were not graded through a fault
    of the harness, 2 when it refused to start, 130 when it was stopped with Ctrl-C.
    """
    from nbjudge.grading.cluster import Scheduler
    from nbjudge.grading.run import coordinator, table

    own = common.seconds(budget)
    if json_file is not None:
        common.writable(json_file)
    folder = common.course_at(course, db)
    cluster = (
        common.or_fail(Scheduler.of, scheduler, tls_ca, tls_cert, tls_key) if scheduler else None
    )
    request = coordinator.GradingRequest(
        assignment,
        submitted=submitted,
        students=student or (),
        jobs=jobs,
        seed=seed,
        new_seed=new_seed,
        force=force,
        regrade=regrade,
        scheduler=cluster,
        budget=own,
        pretrained=pretrained,
    )
    if watch:
        if submitted or student or new_seed or force or regrade or json_file or explain:
            common.fail(
                "--watch grades what arrives in the exchange: leave out --submitted, --student, --new-seed, --force, "
                "--regrade, --json and --explain"
            )
        _watch(folder, request, show)
    if show is not None:
        common.fail("--show is for --watch: `course feedback` writes whole pages")
    report = _graded(folder, request)
    table.show(report)
    if explain:
        table.explain(report)
    if json_file is not None:
        _write(json_file, report)
    raise typer.Exit(report.exit_code)


def _watch(folder, request, show: Shows | None) -> NoReturn:
    """Watch until Ctrl-C."""
    from nbjudge.course import watching
    from nbjudge.course.publish import publish_first
    from nbjudge.grading.run import coordinator

    def some(students):
        return coordinator.grade(folder, replace(request, students=students))

    shows = show or Shows.PAGE
    common.or_fail(publish_first, folder, request.assignment, common.say)
    watcher = watching.Watch(
        course=folder, assignment=request.assignment, grade=some, say=common.say, shows=shows
    )
    try:
        common.or_fail(watcher.run)
    except KeyboardInterrupt:
        typer.echo(
            "course: stopped. What arrived is kept; type the same command to go on", err=True
        )
    raise typer.Exit(STOPPED)


def _graded(folder, request):
    """The report on a run with what was released, if nothing was published yet."""
    from nbjudge.course import live
    from nbjudge.course.publish import PublishRefused, publish_first
    from nbjudge.grading.run import coordinator

    try:
        if first := publish_first(folder, request.assignment, common.say):
            typer.echo(
                f"published {request.assignment}, version {first.version}, in {folder.root}: it was a fresh course folder"
            )
        with live.progress() as watch:
            return coordinator.grade(folder, request, watch)
    except (coordinator.Refused, PublishRefused) as refusal:
        common.fail(str(refusal))
    except KeyboardInterrupt:
        typer.echo(
            "course: stopped. What was graded is kept; type the same command to go on", err=True
        )
        raise typer.Exit(STOPPED) from None


def _write(target: Path, report) -> None:
    try:
        with target.open("w") as file:
            file.writelines(report.json_text())
    except OSError as error:
        raise OSError(
            error.errno, f"{error.strerror}, and the marks are in the gradebook", str(target)
        ) from None
