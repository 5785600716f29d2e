"""`course publish`: put a release into the course's gradebook, its skeleton store and nbgrader's exchange, or change nothing."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange import ExchangeError
from nbgrader.exchange.default import ExchangeReleaseAssignment

from autograder.course import config as course_config
from autograder.course.release import generate, read_notebooks, run_generate
from autograder.grading import record, skeletons
from autograder.grading.folders import Course, FolderError, Project
from autograder.grading.skeletons import Skeleton
from autograder.grading.swap import swap


class PublishRefused(RuntimeError):
    """Nothing was published. The text says why, and what to do."""


@dataclass(frozen=True)
class Published:
    assignment: str
    version: str
    was_new: bool


def publish(course: Course, project: Project, assignments: Sequence[str] = (), exchange: bool = True) -> list[Published]:
    """Publish assignments (all that are released, by default). Raises PublishRefused, before anything was changed."""
    names = list(assignments) or [name for name in project.assignments() if (project.labs / name).is_dir()]
    skeletons_to_store = [_read(course, project, name) for name in names]
    course_config.write(course, project)
    done = []
    for skeleton in skeletons_to_store:
        before = skeletons.current(course, skeleton.assignment)
        _into_gradebook(course, project, skeleton)
        skeletons.store(course, skeleton)
        if exchange:
            _into_exchange(course, project, skeleton.assignment)
        done.append(Published(skeleton.assignment, skeleton.version, before is None or before.version != skeleton.version))
    return done


def _read(course: Course, project: Project, name: str) -> Skeleton:
    """The release in labs/, once it is known to be what solutions/ gives today and to fit the submissions that exist."""
    labs = project.labs / name
    if not (project.solutions / name).is_dir():
        raise PublishRefused(f"solutions/ has no assignment {name!r}; it has: {', '.join(project.assignments())}")
    if not any(labs.glob("*.ipynb")):
        raise PublishRefused(f"{name} was never released: type `course release {name}` first")
    notebooks = read_notebooks(labs)
    with tempfile.TemporaryDirectory(prefix="publish-") as folder:
        generate(project.solutions, Path(folder) / name, name)
        if read_notebooks(Path(folder) / name) != notebooks:
            raise PublishRefused(
                f"labs/{name} is not what solutions/{name} releases today: type `course release {name}`, then publish again"
            )
    files = {
        path.relative_to(labs).as_posix(): path.read_bytes()
        for path in sorted(labs.rglob("*"))
        if path.is_file() and path.suffix != ".ipynb"
    }
    version = skeletons.version_of(notebooks)
    solutions = read_notebooks(project.solutions / name)
    skeleton = Skeleton(name, version, _joined(notebooks), _joined(solutions), files)
    _refuse_changed_cells(course, skeleton)
    return skeleton


def _joined(notebooks: dict[str, dict]) -> dict[str, dict]:
    """Notebooks with every source as one string: on disk nbformat writes lists of lines."""
    joined = json.loads(json.dumps(notebooks))
    for notebook in joined.values():
        for cell in notebook["cells"]:
            cell["source"] = "".join(cell["source"])
    return joined


def _refuse_changed_cells(course: Course, skeleton: Skeleton) -> None:
    before = skeletons.current(course, skeleton.assignment)
    if before is None or not record.has_submissions(course, skeleton.assignment):
        return
    old, new = before.graded_cells(), skeleton.graded_cells()
    if old == new:
        return
    changed = sorted("/".join(key) for key in old.keys() | new.keys() if old.get(key) != new.get(key))
    raise PublishRefused(
        f"{skeleton.assignment} has submissions, and its graded cells changed: {', '.join(changed)}. Marks hang on those cells, so "
        "nothing was published. Keep their names, types and points (texts, stubs and checks may change), or publish into a fresh "
        "course folder with --course"
    )


def _into_gradebook(course: Course, project: Project, skeleton: Skeleton) -> None:
    """nbgrader's generate_assignment writes the gradebook; the notebooks and files of the release then take the place of its output."""
    run_generate(project.solutions, course.root, skeleton.assignment, course_config.config(course, project))
    target = course.release / skeleton.assignment
    temporary = course.release / f".{skeleton.assignment}.new"
    shutil.rmtree(temporary, ignore_errors=True)
    shutil.copytree(project.labs / skeleton.assignment, temporary)
    swap(temporary, target)
    shutil.rmtree(temporary, ignore_errors=True)


def _into_exchange(course: Course, project: Project, assignment: str) -> None:
    settings = course_config.config(course, project)
    settings.CourseDirectory.assignment_id = assignment
    course.exchange.mkdir(parents=True, exist_ok=True)
    coursedir = CourseDirectory(config=settings)
    try:
        ExchangeReleaseAssignment(coursedir=coursedir, config=settings, force=True).start()
    except ExchangeError as error:
        raise PublishRefused(f"{assignment} is published, but nbgrader's exchange at {course.exchange} refuses it: {error}") from None


def publish_first(course: Course, assignment: str) -> Published | None:
    """Publish into a course folder where nothing was published yet; None where something was. Raises PublishRefused."""
    if skeletons.current(course, assignment) is not None or course.gradebook.exists():
        return None
    try:
        project = Project.find()
    except FolderError as error:
        raise PublishRefused(f"{course.root} holds nothing published, and {error}") from None
    return publish(course, project, [assignment])[0]
