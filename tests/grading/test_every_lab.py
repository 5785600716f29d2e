"""Every lab that is released, through the whole path: the instructor's own answers earn every
point, and the untouched lab earns none.
"""

import shutil
from pathlib import Path

import nbformat
import pytest

from nbjudge import exercises
from nbjudge.course.publish import publish
from nbjudge.course.release import release
from nbjudge.grading.config.folders import Course, Project
from nbjudge.grading.marks.results import MANUAL
from nbjudge.grading.published.asked_exercises import in_folder
from nbjudge.grading.run import coordinator

ROOT = Path(__file__).resolve().parents[2]


# The path is the same for every lab, so five exercises take it in every run: these, of which `fp16`
# asks for two in one notebook, and the two of test_class.py.
FEW = {"day-50": ("safetensors",), "lab-7-01": ("fp16",)}
ASSIGNMENTS = Project(ROOT).assignments()


def chosen(assignment: str, labs: tuple[str, ...], *marks: pytest.MarkDecorator):
    name = f"{assignment}-{'-'.join(labs) or 'all'}"
    return pytest.param(
        (assignment, labs), id=name, marks=[pytest.mark.xdist_group(f"every-lab-{name}"), *marks]
    )


def part_of(project: Project, assignment: str, labs: tuple[str, ...], root: Path) -> Project:
    """A checkout with some labs alone, released."""
    (root / "pyproject.toml").touch()
    (root / "solutions" / assignment).mkdir(parents=True)
    for lab in labs:
        source = project.solutions / assignment / f"{lab}.ipynb"
        shutil.copy(source, root / "solutions" / assignment)
    release(Project(root))
    return Project(root)


@pytest.fixture(
    scope="module",
    params=[
        *(chosen(name, FEW[name]) for name in ASSIGNMENTS),
        *(chosen(name, (), pytest.mark.slow) for name in ASSIGNMENTS),
    ],
)
def graded(request, tmp_path_factory):
    """The test cells of exercises, and the results of `ada`, who hands the solutions in, and `gus`,
    who hands the labs in as they are.
    """
    assignment, labs = request.param
    project = (
        part_of(Project(ROOT), assignment, labs, tmp_path_factory.mktemp("checkout"))
        if labs
        else Project(ROOT)
    )
    course = Course.at(tmp_path_factory.mktemp("course"))
    publish(course, project, [assignment], exchange=False)
    shutil.copytree(project.solutions / assignment, course.submitted / "ada" / assignment)
    shutil.copytree(project.labs / assignment, course.submitted / "gus" / assignment)
    report = coordinator.grade(course, coordinator.GradingRequest(assignment, seed=2026))
    checked = {
        f"{name}/{exercises.get(exercise).grade_id}"
        for exercise, name in in_folder(project.solutions / assignment).items()
    }
    return checked, {result.student: result for result in report.submissions}


def test_the_solutions_earn_every_point(graded):
    checked, results = graded
    assert checked and checked <= results["ada"].cells.keys()
    for key, cell in results["ada"].cells.items():
        assert (cell.score == cell.max_score) if key in checked else (cell.status == MANUAL), (
            key,
            cell,
        )


def test_an_untouched_lab_earns_nothing(graded):
    _, results = graded
    assert {key: cell.score for key, cell in results["gus"].cells.items() if cell.score != 0} == {}
    assert results["gus"].status == "graded" and not results["gus"].needs_manual


@pytest.mark.slow
@pytest.mark.parametrize("done", ["find_overflow", "to_fp16"])
def test_one_part_of_a_lab_earns_its_own_points_and_no_others(done, tmp_path):
    """`fp16` asks for two functions in one notebook. One is handed in, the other is still a stub."""
    (tmp_path / "checkout").mkdir()
    project = part_of(Project(ROOT), "lab-7-01", ("fp16",), tmp_path / "checkout")
    course = Course.at(tmp_path / "course")
    publish(course, project, ["lab-7-01"], exchange=False)
    notebook, solved = (
        nbformat.read(folder / "lab-7-01" / "fp16.ipynb", as_version=4)
        for folder in (project.labs, project.solutions)
    )
    for cell, answer in zip(notebook.cells, solved.cells, strict=True):
        if cell.source.startswith(f"def {done}("):
            cell.source = answer.source
    folder = course.submitted / "ada" / "lab-7-01"
    folder.mkdir(parents=True)
    nbformat.write(notebook, folder / "fp16.ipynb")
    report = coordinator.grade(course, coordinator.GradingRequest("lab-7-01", seed=2026))
    [ada] = report.submissions
    scores = {name: ada.cells[f"fp16/check-{name}"].score for name in ("fp16", "overflow")}
    worth = {"to_fp16": exercises.get("fp16"), "find_overflow": exercises.get("overflow")}
    assert scores == {
        exercise.id: exercise.points if function == done else 0
        for function, exercise in worth.items()
    }
