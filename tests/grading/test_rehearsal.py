"""A plain assignment is released when its own solution earns every point of its tests, run in boxes
as students' notebooks are; what else would cost a class points is said.
"""

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from nbjudge import boxes
from nbjudge.cli import app
from nbjudge.course import rehearsal
from nbjudge.course import release as releasing
from nbjudge.course.generating import ReleaseError
from nbjudge.course.publish import publish
from nbjudge.course.release import release
from nbjudge.grading.config.folders import Course, Project
from nbjudge.grading.published import skeletons
from nbjudge.grading.run import coordinator
from nbjudge.grading.submission import canary
from tests.grading.small import (
    ASSIGNMENT,
    NOTEBOOK,
    RIGHT,
    TEST,
    cells,
    code,
    meta,
    notebook,
    write,
)

ROOT = Path(__file__).resolve().parents[2]
WHERE = f"solutions/{ASSIGNMENT}/{NOTEBOOK}.ipynb"

pytestmark = pytest.mark.xdist_group("rehearsal")


def answer(source, grade_id="answer", points=None):
    marked = f"### BEGIN SOLUTION\n{source}\n### END SOLUTION"
    return code(grade_id, marked, meta(grade_id, points, solution=True))


def a_test(source, points=2, grade_id="test"):
    return code(grade_id, source, meta(grade_id, points))


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path / "checkout")


ENDLESS = "while True:\n    pass"
# Each is refused: the cells, what the message says of why, and what it says is to be done.
UNFIT = {
    "hidden test fails": (
        cells("assert square(3) == 9\n### BEGIN HIDDEN TESTS\nassert square(2) == 5\n### END HIDDEN TESTS"),
        r"cell 3 \(test-square\) gives your own solution 0 of 3 .* the test ends with AssertionError, in the line `assert square\(2\) == 5`",
        "mend the test or the solution",
    ),
    "test fails for everybody": (
        [answer("x = 1"), a_test("assert y == 1")],
        "NameError: name 'y' is not defined, in the line `assert y == 1`",
        "mend the test or the solution",
    ),
    "solution raises": (
        [answer("x = 1 / 0"), a_test("assert x == 1")],
        r"NameError: .*before it, cell 1 \(answer\) ends with ZeroDivisionError: division by zero",
        "mend the test or the solution",
    ),
    "less than its points": (
        [answer("x = 1"), a_test("1.5 * x")],
        "gives your own solution 1.5 of 2 points.* its last line gives 1.5",
        "let the solution reach all points",
    ),
    "a number that is no mark": (
        [answer("x = [1, 2, 3]"), a_test("assert x\nlen(x)")],
        "gives your own solution 0 of 2 points.* its last line gives 3",
        "give the number a name",
    ),
    "chance decides": (
        [answer("import random\nx = random.random()"), a_test("x")],
        "points, and 0.* when it is run once more",
        "set a seed",
    ),
    "file is not released": (
        [answer("x = open('data.csv').read()"), a_test("assert x")],
        "FileNotFoundError: .*in the line `x = open",
        f"put the file into solutions/{ASSIGNMENT}",
    ),
    "module is not released": (
        [code("given", "import helper"), answer("x = helper.x"), a_test("assert x")],
        "before it, cell 1 ends with ModuleNotFoundError: No module named 'helper'",
        f"put the module into solutions/{ASSIGNMENT}",
    ),
    "network": (
        [answer("from urllib.request import urlopen\nx = urlopen('http://example.org')"), a_test("x")],
        "in the line `x = urlopen",
        "boxes have no network",
    ),
    "somebody answers": (
        [answer("x = input()"), a_test("assert x")],
        "StdinNotImplementedError",
        "nobody answers",
    ),
    "out of order": (
        [a_test("assert x == 1"), answer("x = 1")],
        "cell 1 .*NameError",
        "from top to bottom",
    ),
    "no end": ([answer("x = 1"), a_test(ENDLESS)], "its 2 seconds were over", "--budget"),
    "its kernel ends": (
        [answer("import os\nos._exit(1)"), a_test("assert x")],
        r"cell 1 \(answer\) ended its kernel",
        "end no process",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", UNFIT)
def test_a_plain_test_that_its_own_solution_does_not_pass_is_refused(name, project, monkeypatch):
    given, why, remedy = UNFIT[name]
    write(project, given)
    monkeypatch.chdir(project.root)
    done = CliRunner().invoke(app, ["release", ASSIGNMENT, "--budget", "cell=2"])
    assert done.exit_code == 2 and not project.labs.exists()
    (line,) = done.stderr.splitlines()
    with pytest.raises(ReleaseError, match=why) as refused:
        raise ReleaseError(line)
    assert WHERE in line and remedy in line, refused


def test_what_students_find_beside_their_notebook_the_solution_finds_too(project):
    """And a test may give its points by a number, have none, or write to stderr."""
    write(
        project,
        [
            code("given", "import helper\nimport sys"),
            answer("x = helper.x + open('data/one.txt').read()"),
            a_test("assert x == '21'", grade_id="files"),
            a_test("1.5 * (x == '21')", 1.5, grade_id="partial"),
            a_test("print('no fault', file=sys.stderr)\nassert x", grade_id="stderr"),
            a_test("'well done'", 0, grade_id="open"),
        ],
    )
    folder = project.solutions / ASSIGNMENT
    (folder / "data").mkdir()
    (folder / "data" / "one.txt").write_text("1")
    (folder / "helper.py").write_text("x = '2'")
    said = []
    release(project, say=said.append)
    assert f"{ASSIGNMENT}: {NOTEBOOK} earns every point of its tests" in said
    assert not any("warning" in line for line in said), said


def test_what_costs_points_or_sight_without_a_failing_test_is_said(project):
    shows = "from IPython.display import SVG\nSVG('<svg xmlns=\"http://www.w3.org/2000/svg\"/>')"
    write(
        project,
        [
            code("given", "1 / 0"),
            {**code("meant", "1 / 0"), "metadata": {"tags": ["raises-exception"]}},
            answer("x = 1"),
            a_test("try:\n    assert x\nexcept NameError:\n    pass", grade_id="free"),
            answer(shows, "drawn", 2),
            answer("print('x' * 2_000_000)", "large", 2),
            answer("print(1)\n1", "seen", 2),
        ],
    )
    said = []
    release(project, say=said.append)
    warnings = [line.partition("warning: ")[2] for line in said if "warning: " in line]
    expected = (
        "cell 4 (free) gives 2 of 2 points to the stub",
        "cell 1 of your own solution ends with ZeroDivisionError",
        "cell 5 (drawn): of what your own solution shows, '<IPython.core.display.SVG object>'",
        "cell 6 (large): your own solution shows more than is kept",
    )
    assert len(warnings) == len(expected), warnings
    for line, what in zip(warnings, expected, strict=True):
        assert line.startswith(f"{WHERE}, ") and what in line


def test_a_notebook_of_another_python_kernel_is_graded_like_any(project, tmp_path):
    document = notebook(cells())
    document["metadata"]["kernelspec"].update(name="conda-env-ml-py")
    write(project, [])
    (project.solutions / ASSIGNMENT / f"{NOTEBOOK}.ipynb").write_text(json.dumps(document))
    release(project)
    course = Course.at(tmp_path / "course")
    publish(course, project, exchange=False)
    handed_in = json.loads((project.labs / ASSIGNMENT / f"{NOTEBOOK}.ipynb").read_text())
    assert handed_in["metadata"]["kernelspec"]["name"] == "python3"
    handed_in["cells"][1]["source"] = RIGHT
    handed_in["metadata"]["kernelspec"]["name"] = "python"  # as another editor saves it
    folder = course.submitted / "ada" / ASSIGNMENT
    folder.mkdir(parents=True)
    (folder / f"{NOTEBOOK}.ipynb").write_text(json.dumps(handed_in))
    (result,) = coordinator.grade(course, coordinator.GradingRequest(ASSIGNMENT)).submissions
    assert result.cells[f"{NOTEBOOK}/test-square"].score == 3


def unrehearsed(*arguments):
    """As an older version released and published."""
    return iter(())


WRONG_TEST = TEST.replace("square(-2) == 4", "square(-2) == 5")


@pytest.mark.parametrize("is_published", [False, True])
def test_what_was_released_untried_is_refused_later(project, tmp_path, monkeypatch, is_published):
    write(project, cells(WRONG_TEST))
    course = Course.at(tmp_path / "course")
    monkeypatch.setattr(canary, "_proved", set())
    with monkeypatch.context() as older:
        older.setattr(rehearsal, "rehearse", unrehearsed)
        release(project)
        if is_published:
            publish(course, project, exchange=False)
    if not is_published:
        with pytest.raises(ReleaseError, match="gives your own solution 0 of 3 points"):
            publish(course, project, exchange=False)
        assert not course.gradebook.exists()
        return
    shutil.copytree(project.labs / ASSIGNMENT, course.submitted / "ada" / ASSIGNMENT)
    refused = (
        f"your own solution of {NOTEBOOK} gets 0 of 3 points for test-square.*`course release`"
    )
    with pytest.raises(coordinator.Refused, match=refused):
        coordinator.grade(course, coordinator.GradingRequest(ASSIGNMENT))
    assert not any(course.autograded.glob("*"))


def test_without_boxes_nothing_is_released_untried_and_publishing_says_so(
    project, tmp_path, monkeypatch
):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))  # with nothing of other tests
    write(project, cells())

    def unavailable(*arguments, **named):
        raise boxes.SandboxUnavailable("bubblewrap is not installed")

    monkeypatch.setattr(rehearsal, "run_notebook", unavailable)
    with pytest.raises(ReleaseError, match=r"cannot be run here, .*bubblewrap is not installed"):
        release(project)
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(rehearsal, "rehearse", unrehearsed)
        release(project)
    said = []
    course = Course.at(tmp_path / "course")
    publish(course, project, exchange=False, say=said.append)
    assert any("could not be tried on this machine (bubblewrap" in line for line in said)
    assert skeletons.current_version(course, ASSIGNMENT)


def test_publishing_does_not_run_again_what_was_released(project, tmp_path, monkeypatch):
    """Unless the class has other seconds: these decide, too."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))  # nothing of an earlier run
    write(project, cells())
    release(project)
    runs = []
    run = rehearsal.run_notebook
    monkeypatch.setattr(
        rehearsal, "run_notebook", lambda *told, **how: runs.append(1) or run(*told, **how)
    )
    publish(Course.at(tmp_path / "one"), project, exchange=False)
    assert not runs
    course = Course.at(tmp_path / "two")
    course.root.mkdir()
    (course.root / "nbgrader_config.py").write_text("c = get_config()\nc.CourseBudget.cell = 77\n")
    publish(course, project, exchange=False)
    assert runs


def beside_inspect(project, place):
    """The lab `inspect` with a plain test that nobody passes, right above its test or right below."""
    document = json.loads((ROOT / "solutions" / "day-50" / "inspect.ipynb").read_text())
    tests = [
        number
        for number, cell in enumerate(document["cells"])
        if cell["metadata"].get("nbgrader", {}).get("grade")
    ]
    document["cells"].insert(tests[0] + place, a_test("assert False"))
    folder = project.solutions / "day-50"
    folder.mkdir(parents=True)
    (project.root / "pyproject.toml").touch()
    (folder / "inspect.ipynb").write_text(json.dumps(document))


def test_a_plain_test_above_the_test_of_an_exercise_counts(project):
    beside_inspect(project, 0)
    with pytest.raises(ReleaseError, match=r"\(test\) gives your own solution 0 of 2 points"):
        release(project)


def test_a_plain_test_behind_the_test_of_an_exercise_is_refused(project, tmp_path, monkeypatch):
    """Nothing is kept of it, so everybody would earn it."""
    beside_inspect(project, 1)
    message = r"\(test\) is a plain test behind the test of an exercise"
    with pytest.raises(ReleaseError, match=message):
        release(project)
    course = Course.at(tmp_path / "course")
    with monkeypatch.context() as older:
        older.setattr(releasing.fitness, "require", lambda *arguments: None)
        release(project)
        publish(course, project, exchange=False)
    shutil.copytree(project.labs / "day-50", course.submitted / "ada" / "day-50")
    monkeypatch.setattr(canary, "_proved", set())
    with pytest.raises(coordinator.Refused, match="the plain test test behind the test of"):
        coordinator.grade(course, coordinator.GradingRequest("day-50", seed=1))
