"""`course publish`: put a release into the course's gradebook, its skeleton store and nbgrader's
exchange, or change nothing.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange import ExchangeError
from nbgrader.exchange.default import ExchangeReleaseAssignment

from nbjudge import typed
from nbjudge.course import config as course_config
from nbjudge.course import rehearsal, release_settings, transfer
from nbjudge.course.generating import authored, joined, read_notebooks, run_generate
from nbjudge.course.release import Say, generate, in_silence
from nbjudge.grading import CONFIG
from nbjudge.grading.config import budget
from nbjudge.grading.config.folders import (
    Course,
    FolderError,
    Project,
    checked_course_id,
    make_private,
)
from nbjudge.grading.document.cells import Notebook, is_test, known_metadata
from nbjudge.grading.gradebook import database, record
from nbjudge.grading.published import skeletons
from nbjudge.grading.published.atomic import swap
from nbjudge.grading.published.skeletons import Skeleton, SkeletonError


class PublishRefused(RuntimeError):
    """Nothing was published. The text says why, and what to do."""


@dataclass(frozen=True)
class Published:
    assignment: str
    version: str
    was_new: bool


def publish(
    course: Course,
    project: Project,
    assignments: Sequence[str] = (),
    *,
    exchange: bool = True,
    course_id: str | None = None,
    say: Say = in_silence,
) -> list[Published]:
    """Publish assignments (all that are released, by default). Raises PublishRefused, before
    anything was changed.

    `course_id` names the class, in a fresh course folder. `say` hears what is being done, a line at
    a time.
    """
    names = list(assignments) or [
        name for name in project.assignments() if (project.labs / name).is_dir()
    ]
    _refuse_other_id(course, course_id)
    if exchange:
        _prepare_exchange(course)
    skeletons_to_store = []
    for name in names:
        say(f"{name}: holding labs/{name} against {project.solutions.name}/{name}")
        skeletons_to_store.append(_read(course, project, name, say))
    course_config.write(course, project, course_id)
    course_config.complete(course, project, exchange)
    _keep_private(course)
    return [_put(course, project, skeleton, exchange, say) for skeleton in skeletons_to_store]


def _put(
    course: Course, project: Project, skeleton: Skeleton, exchange: bool, say: Say
) -> Published:
    """Publish one assignment that is known to be fit."""
    name = skeleton.assignment
    before = _version_before(course, skeleton.assignment)
    say(f"{name}: into the gradebook")
    _into_gradebook(course, project, skeleton)
    skeletons.store(course, with_saved_tests(course, skeleton))
    if exchange:
        say(f"{name}: into the exchange")
        _into_exchange(course, project, name)
    return Published(name, skeleton.version, before != skeleton.version)


def _keep_private(course: Course) -> None:
    """What students hand in and get back is the grader's to read: the folder that holds it may hold
    the exchange too, which is everybody's. Folders that are there stay as they are.
    """
    if not course_config.config(course).CourseDirectory.get("groupshared"):
        for folder in (course.submitted, course.autograded, course.feedback):
            make_private(course.root, folder.name)


def _refuse_other_id(course: Course, course_id: str | None) -> None:
    """The id is part of what is in gradebook and exchange: it is chosen once."""
    if course_id is None or checked_course_id(course_id) == course.course_id:
        return
    if course.gradebook.exists() or (course.root / CONFIG).exists():
        raise PublishRefused(
            f"{course.root} belongs to the course {course.course_id!r} already: name a fresh folder with --course for {course_id!r}"
        )


def _prepare_exchange(course: Course) -> None:
    try:
        transfer.prepare(course)
    except transfer.ExchangeProblem as problem:
        raise PublishRefused(f"{problem}. Nothing was published") from None


def _version_before(course: Course, assignment: str) -> str | None:
    try:
        return skeletons.current_version(course, assignment)
    except SkeletonError:
        return None


def _read(course: Course, project: Project, name: str, say: Say) -> Skeleton:
    """The release in labs/, once it is known to be what solutions/ gives today, to fit the
    submissions that exist, and to give its own solution every automatic point.
    """
    labs = project.labs / name
    if not (project.solutions / name).is_dir():
        raise PublishRefused(
            f"{project.solutions.name}/ has no assignment {name!r}; it has: {', '.join(project.assignments())}"
        )
    if not any(labs.glob("*.ipynb")):
        raise PublishRefused(
            f"{name} was never released: type `{typed.command('release', name)}` first"
        )
    _refuse_stale(project, name)
    if course.root != project.root and (elsewhere := release_settings.elsewhere(course.settings)):
        say(
            f"{name}: {course.root / CONFIG} sets {', '.join(elsewhere)}, which a release takes from "
            f"{project.root / CONFIG} alone: write it there"
        )
    skeleton = skeleton_of(name, labs, project.solutions / name)
    _refuse_changed_cells(course, skeleton)
    _rehearse(course, project, name, say)
    return skeleton


def _rehearse(course: Course, project: Project, name: str, say: Say) -> None:
    """Raises ReleaseError where a plain test does not give the solution its points in this class's
    seconds. A machine without a sandbox only says that it cannot tell: grading tries again.
    """
    try:
        seconds = budget.of(course_config.config(course, project), {})
        for _ in rehearsal.rehearse(project.solutions, name, project.labs / name, seconds):
            pass
    except budget.BudgetError as error:
        raise PublishRefused(str(error)) from None
    except rehearsal.NotRehearsed as error:
        say(
            f"{name}: whether its own solution earns every point could not be tried on this machine ({error}); "
            "`course grade` tries it before it grades"
        )


def _refuse_stale(project: Project, name: str) -> None:
    """Release once more, into a folder of its own, and hold labs/ against that."""
    with tempfile.TemporaryDirectory(prefix="publish-") as folder:
        generate(project.solutions, Path(folder) / name, name)
        if read_notebooks(Path(folder) / name) != read_notebooks(project.labs / name):
            raise PublishRefused(
                f"labs/{name} is not what {project.solutions.name}/{name} releases today: "
                f"type `{typed.command('release', name)}`, then publish again"
            )


def skeleton_of(name: str, released: Path, source: Path) -> Skeleton:
    """What is published: from the folder that students get and the one it was released from."""
    notebooks = read_notebooks(released)
    return Skeleton(
        assignment=name,
        version=skeletons.version_of(notebooks),
        notebooks=joined(notebooks),
        solutions=_with_usual_marks(joined(authored(source.parent, source.name)), source.parent),
        files=rehearsal.files_in(released),
    )


def _with_usual_marks(notebooks: dict[str, Notebook], solutions: Path) -> dict[str, Notebook]:
    """The notebooks with nbgrader's usual marks in place of those that the settings of the release
    name: the marker's texts are found by them.
    """
    for region in release_settings.regions(solutions):
        for mark, usual in ((region.begin, "BEGIN"), (region.end, "END")):
            for cell in (cell for notebook in notebooks.values() for cell in notebook["cells"]):
                cell["source"] = cell["source"].replace(mark, f"{usual} {region.kind}")
    return notebooks


def _refuse_changed_cells(course: Course, skeleton: Skeleton) -> None:
    if not record.has_submissions(course, skeleton.assignment):
        return
    if (before := _before(course, skeleton)) is None:
        return
    old = before.graded_cells()
    new = skeleton.graded_cells()
    if old == new:
        return
    changed = sorted(
        "/".join(key) for key in old.keys() | new.keys() if old.get(key) != new.get(key)
    )
    raise PublishRefused(
        f"{skeleton.assignment} has submissions, and its graded cells changed: {', '.join(changed)}. Marks hang on those cells, so "
        "nothing was published. Keep their names, types and points (texts, stubs and checks may change), or publish into a fresh "
        "course folder with --course"
    )


def _before(course: Course, skeleton: Skeleton) -> Skeleton | None:
    """What was published last; None where nothing was, or where it is damaged and this is it."""
    try:
        return skeletons.current(course, skeleton.assignment)
    except SkeletonError as damage:
        if skeletons.is_stored(course, skeleton.assignment, skeleton.version):
            return None  # the same cells as were published: storing them again mends the store
        raise PublishRefused(
            f"{damage}. labs/{skeleton.assignment} holds version {skeleton.version}, which never was: nothing was published"
        ) from None


def _into_gradebook(course: Course, project: Project, skeleton: Skeleton) -> None:
    """nbgrader's generate_assignment writes the gradebook; the notebooks and files of the release
    then take the place of its output.
    """
    database.make(course)
    settings = release_settings.over(course_config.config(course, project), project.solutions)
    run_generate(project.solutions, skeleton.assignment, settings)
    target = course.release / skeleton.assignment
    temporary = course.release / f".{skeleton.assignment}.new"
    shutil.rmtree(temporary, ignore_errors=True)
    shutil.copytree(project.labs / skeleton.assignment, temporary)
    swap(temporary, target)
    shutil.rmtree(temporary, ignore_errors=True)


def with_saved_tests(course: Course, skeleton: Skeleton) -> Skeleton:
    """The skeleton with its test cells as nbgrader's generate_assignment saved them for grading:
    what was an autotest in the source is an assert there.
    """
    with record.gradebook(course) as book:
        saved = {
            (notebook.name, cell.name): cell.source
            for notebook in book.find_assignment(skeleton.assignment).notebooks
            for cell in notebook.source_cells
        }
    solutions = {
        name: {**notebook, "cells": [_as_saved(cell, name, saved) for cell in notebook["cells"]]}
        for name, notebook in skeleton.solutions.items()
    }
    return replace(skeleton, solutions=solutions)


def _as_saved(cell: dict, notebook: str, saved: Mapping[tuple[str, str], str]) -> dict:
    if not is_test(cell):
        return cell
    named = known_metadata(cell)["grade_id"]
    return {**cell, "source": saved.get((notebook, named), cell["source"])}


def _into_exchange(course: Course, project: Project, assignment: str) -> None:
    settings = course_config.config(course, project)
    settings.CourseDirectory.assignment_id = assignment
    coursedir = CourseDirectory(config=settings)
    try:
        ExchangeReleaseAssignment(coursedir=coursedir, config=settings, force=True).start()
    except ExchangeError as error:
        raise PublishRefused(
            f"{assignment} is published, but nbgrader's exchange at {course.exchange} refuses it: {transfer.reason(error)}"
        ) from None


def publish_first(course: Course, assignment: str, say: Say = in_silence) -> Published | None:
    """Publish into a course folder where nothing was published yet; None where something was.
    Raises PublishRefused.
    """
    # A class may be enrolled before anything is published.
    is_known = database.exists(course) and record.known_assignments(course)
    if skeletons.current_version(course, assignment) is not None or is_known:
        return None
    try:
        project = Project.find()
    except FolderError:
        raise PublishRefused(
            f"{course.root} holds nothing published: {course.publishing(assignment)}"
        ) from None
    return publish(course, project, [assignment], say=say)[0]
