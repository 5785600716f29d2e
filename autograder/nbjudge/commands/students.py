"""`course lab`, `check`, `doctor`, `submit`: for those who work on labs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from nbjudge.commands import common
from nbjudge.failures import one_line

Folder = Annotated[
    Path | None, typer.Argument(help="Where your work is kept: my-course/ by default.")
]
Port = Annotated[
    int, typer.Option(help="The port of JupyterLab; the next free one if it is taken.")
]
Browser = Annotated[bool, typer.Option(help="Open a browser.")]
Instructor = Annotated[
    bool, typer.Option("--instructor", help="With nbgrader's formgrader, on the course folder.")
]
Notebooks = Annotated[
    list[Path] | None,
    typer.Argument(help="Lab notebooks, or folders of them. The current folder by default."),
]
Practice = Annotated[
    bool, typer.Option("--practice", help="With fresh cases of every kind that a grader draws.")
]
Draw = Annotated[int | None, typer.Option(help="The practice draw with this number, to repeat it.")]
LabFolder = Annotated[Path, typer.Argument(help="The folder of the lab, for example day-50.")]
Exchange = Annotated[
    Path | None, typer.Option(envvar="AUTOGRADER_EXCHANGE", help="nbgrader's exchange.")
]
ZipFile = Annotated[Path | None, typer.Option("--zip", help="Write a zip file to upload instead.")]
Name = Annotated[
    str | None, typer.Option("--as", metavar="NAME", help="Your name in class, for the zip file.")
]


def lab(
    folder: Folder = None,
    port: Port = 8888,
    browser: Browser = True,
    instructor: Instructor = False,
    course: common.CourseOption = common.COURSE,
) -> None:
    """Open JupyterLab on the course, with the labs ready."""
    from nbjudge.lab import launch

    try:
        launch(folder, port=port, browser=browser, course=course if instructor else None)
    except RuntimeError as problem:
        common.fail(str(problem))


def check(
    notebooks: Notebooks = None,
    practice: Practice = False,
    seed: Draw = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Run lab notebooks and show the public ladder of each exercise."""
    from nbjudge.course.ladders import run_ladders

    paths = [each for named in notebooks or [Path()] for each in _notebooks(named)]
    is_practice = practice or seed is not None
    if as_json:
        raise typer.Exit(_check_as_data(paths, is_practice, seed))
    passed = True
    for path in paths:
        ladder = common.or_fail(run_ladders, path, is_practice, seed)
        typer.echo(f"{path}\n{ladder.text}\n")
        passed &= ladder.passed
    raise typer.Exit(0 if passed else 1)


def _check_as_data(paths: list[Path], is_practice: bool, seed: int | None) -> int:
    """Print what `course check` found as JSON. Returns the exit status. A notebook that cannot be
    run does not keep the others from being checked: whoever reads it reads all of it.
    """
    from nbjudge.course import check_json
    from nbjudge.course.ladders import Ladders, run_ladders

    found: list[tuple[Path, Ladders | str]] = []
    for path in paths:
        try:
            found.append((path, run_ladders(path, is_practice, seed)))
        except RuntimeError as problem:
            found.append((path, str(problem)))
    report = check_json.report(found)
    typer.echo(json.dumps(report, indent=1))
    return 2 if any(each["problem"] for each in report["notebooks"]) else int(not report["passed"])


def _notebooks(named: Path) -> list[Path]:
    """The notebook that was named, or those of a folder."""
    found = sorted(named.glob("*.ipynb")) if named.is_dir() else [named] * named.is_file()
    if found:
        return found
    if named.is_dir():
        where = "here" if named == Path() else f"in {named}"
        common.fail(
            f"there is no notebook {where}: name one, for example `course check labs/day-50/dropout.ipynb`"
        )
    number = f": for the draw {named} type `--practice --seed {named}`" * named.name.isdigit()
    common.fail(f"there is no notebook {named}{number}")


def doctor(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """Say what works on this machine, and what to type where something does not."""
    from nbjudge import doctor as examination

    raise typer.Exit(examination.main(as_json=as_json))


def submit(
    folder: LabFolder, exchange: Exchange = None, zip_file: ZipFile = None, student: Name = None
) -> None:
    """Hand in a lab: through your class's exchange if --exchange or AUTOGRADER_EXCHANGE names one,
    else as a zip file.
    """
    from nbjudge.course import submitting

    folder = folder.resolve()
    is_packed = exchange is None or zip_file is not None
    if exchange is not None and zip_file is None:
        if student is not None:
            common.fail(
                "--as is for zip files: the exchange takes the name that you are logged in with. Add --zip FILE, or leave --as out"
            )
        when = common.or_fail(submitting.submit, folder, exchange.resolve())
        typer.echo(f"handed in {folder.name} at {when}")
    else:
        target = zip_file or submitting.default_archive(folder, student)
        path = common.or_fail(submitting.pack, folder, target, student)
        typer.echo(f"packed {folder.name} into {path}: upload that file where your class hands in")
    for doubt in submitting.doubts(folder, is_packed):
        typer.echo(f"course: {one_line(doubt)}", err=True)
