"""The same work earns the same mark by zip, by a browser's name, by exchange and by folder, and a
time that a platform gives is what late penalties are worked out from.
"""

import json
import shutil
import zipfile

import pytest
from nbgrader.api import Gradebook
from typer.testing import CliRunner

from nbjudge.cli import app
from nbjudge.course import exchange, submitting
from nbjudge.course.publish import publish
from nbjudge.course.release import release
from nbjudge.grading.config.folders import COURSE_ID, Course, Project
from nbjudge.grading.run import coordinator
from tests.grading.small import ASSIGNMENT, NOTEBOOK, SOLUTION, TEST, code, copied, meta, write

pytestmark = pytest.mark.xdist_group("same-marks")
HELPED = "from helper import square"


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    root = tmp_path_factory.mktemp("doors")
    project, course = Project(root / "checkout"), Course.at(root / "course")
    cells = [
        code("answer", SOLUTION, meta("square", solution=True)),
        code("test", TEST, meta("test-square", 3)),
    ]
    write(project, cells)
    release(project)
    publish(course, project)
    return project, course


@pytest.fixture
def course(original, tmp_path):
    return copied(original[1], tmp_path / "course")


@pytest.fixture
def work(original, tmp_path):
    """A student's folder: the answer imports a module that lies beside the notebook."""
    folder = tmp_path / "work" / ASSIGNMENT
    shutil.copytree(original[0].labs / ASSIGNMENT, folder)
    path = folder / f"{NOTEBOOK}.ipynb"
    document = json.loads(path.read_text())
    for cell in document["cells"]:
        if "raise NotImplementedError" in "".join(cell["source"]):
            cell["source"] = HELPED
    path.write_text(json.dumps(document))
    (folder / "helper.py").write_text("def square(x):\n    return x * x\n")
    return folder


def score(course, submitted=None):
    request = coordinator.GradingRequest(ASSIGNMENT, submitted=submitted)
    (result,) = coordinator.grade(course, request).submissions
    return result.score, [one.reason for one in result.notebooks.values()]


def collect(course, *words):
    done = CliRunner().invoke(
        app, ["collect", ASSIGNMENT, "--course", str(course.root), *map(str, words)]
    )
    assert done.exit_code == 0, done.output
    return done


def test_a_helper_module_counts_at_every_door(course, work, tmp_path):
    by_folder = tmp_path / "by-hand" / "ada" / ASSIGNMENT
    shutil.copytree(work, by_folder)
    assert score(course, by_folder.parents[1])[0] == 3
    collect(course, "--zip", submitting.pack(work, tmp_path / f"ada_{ASSIGNMENT}.zip"))
    assert score(course)[0] == 3
    shutil.rmtree(course.submitted)
    (course.exchange / COURSE_ID / "inbound").mkdir(parents=True, exist_ok=True)
    submitting.submit(work, course.exchange)
    assert len(exchange.collect_from_exchange(course, ASSIGNMENT).students) == 1
    assert score(course)[0] == 3


@pytest.mark.parametrize(
    "name", ["first.ipynb.txt", "first.ipynb.json", "FIRST.IPYNB", "first.ipynb (1).txt"]
)
@pytest.mark.parametrize("door", ["zip", "folder"])
def test_a_browser_s_name_costs_nothing_and_is_said(course, work, tmp_path, name, door):
    (work / f"{NOTEBOOK}.ipynb").rename(work / name)
    if door == "folder":
        folder = tmp_path / "by-hand" / "ada" / ASSIGNMENT
        shutil.copytree(work, folder)
        assert score(course, folder.parents[1]) == (3, [f"handed in as {name}"])
        return
    archive = tmp_path / f"ada_{ASSIGNMENT}.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for path in work.iterdir():
            file.write(path, f"{ASSIGNMENT}/{path.name}")
    done = collect(course, "--zip", archive)
    assert f"ada: {name} is taken as first.ipynb" in done.stdout
    assert score(course) == (3, [f"handed in as {name}"])


def test_a_time_of_the_platform_decides_what_is_late(course, work, tmp_path):
    (course.root / "nbgrader_config.py").open("a").write(
        "\nc.LateSubmissionPlugin.penalty_method = 'zero'\n"
    )
    with Gradebook(course.gradebook_url, COURSE_ID) as book:
        book.update_or_create_assignment(ASSIGNMENT, duedate="2026-01-02 12:00:00 UTC")
        for name in ("ada", "ben"):
            book.add_student(name)
    rows = "ada,2026-01-02 12:59 +01:00\nben,2026-01-02 13:01 +01:00\n"
    (tmp_path / "times.csv").write_text("student,received\n" + rows)
    zips = [submitting.pack(work, tmp_path / f"{name}_{ASSIGNMENT}.zip") for name in ("ada", "ben")]
    words = [word for path in zips for word in ("--zip", path)]
    collect(course, *words, "--received", tmp_path / "times.csv")
    done = CliRunner().invoke(app, ["grade", ASSIGNMENT, "--course", str(course.root)])
    assert done.exit_code == 0, done.output
    with Gradebook(course.gradebook_url, COURSE_ID) as book:
        marks = {
            one.student.id: (one.score, one.notebooks[0].late_submission_penalty)
            for one in book.assignment_submissions(ASSIGNMENT)
        }
    assert marks == {"ada": (3.0, None), "ben": (3.0, 3.0)}
