"""What nbgrader's own settings say of `nbgrader autograde` holds for a published assignment too."""

import stat
import subprocess

import pytest
from nbgrader.coursedir import CourseDirectory

from nbjudge.course import config
from nbjudge.course.nbgrader_hooks import SandboxedAutograde
from nbjudge.course.publish import publish
from nbjudge.course.release import release
from nbjudge.grading.config.folders import Course, Project
from nbjudge.grading.gradebook import record
from tests.grading import small
from tests.grading.small import ASSIGNMENT, NOTEBOOK, RIGHT, SOLUTION, code, meta

# One worker makes the course, and grades it once.
pytestmark = pytest.mark.xdist_group("settings")
TEST = "assert square(3) * int(open('sign.txt').read()) == 9"
# It passes with the student's own file, and not with the published one.
TURNED = "def square(x):\n    return -x * x"
ENDLESS = "import time\nwhile True:\n    time.sleep(1)"
SETTINGS = f"""
c.Autograde.exclude_overwriting = {{"{ASSIGNMENT}": ["sign.txt"]}}
c.Execute.timeout = 2
"""


def autograde(course: Course, *options: str) -> subprocess.CompletedProcess:
    words = ["nbgrader", "autograde", ASSIGNMENT, *options]
    return subprocess.run(words, cwd=course.root, capture_output=True, text=True)


@pytest.fixture(scope="module")
def course(tmp_path_factory) -> Course:
    root = tmp_path_factory.mktemp("settings")
    project, course = Project(root / "checkout"), Course.at(root / "course")
    answer = code("answer", SOLUTION, meta("square", solution=True))
    small.write(project, [answer, code("test", TEST, meta("test-square", 3))])
    (project.solutions / ASSIGNMENT / "sign.txt").write_text("1")
    release(project)
    publish(course, project, exchange=False)
    for student, source in {"ada": TURNED, "ben": RIGHT, "cy": ENDLESS}.items():
        small.hand_in(project, course, student, {"square": source})
    handed_in = course.submitted / "ada" / ASSIGNMENT
    (handed_in / "sign.txt").write_text("-1")
    (handed_in / record.SECRET).write_text("a" * 40)
    with open(course.root / "nbgrader_config.py", "a") as file:
        file.write(SETTINGS)
    return course


@pytest.fixture(scope="module")
def graded(course, tmp_path_factory) -> tuple[Course, str]:
    """A copy of it, graded by that command, and what it said."""
    own = small.copied(course, tmp_path_factory.mktemp("graded") / "course")
    done = autograde(own, "--no-execute", "--notebook", NOTEBOOK)
    assert done.returncode == 0, done.stderr
    return own, done.stderr


def test_somebody_who_must_not_be_added_is_named_and_nobody_is_graded(course):
    refused = autograde(course, "--Autograde.create_student=False")
    assert refused.returncode == 1 and "not in the gradebook: ada, ben, cy" in refused.stderr
    assert not any(course.autograded.glob("*"))


def test_files_budgets_and_modes_are_those_of_the_settings(graded):
    course, said = graded
    assert "--notebook changes nothing" in said
    assert "--no-execute changes nothing" in said
    marks = {
        name: record.submission_score(course, ASSIGNMENT, name) for name in ("ada", "ben", "cy")
    }
    assert marks == {"ada": 3.0, "ben": 3.0, "cy": 0.0}
    recorded = course.autograded / "ada" / ASSIGNMENT
    assert (recorded / "sign.txt").read_text() == "-1"
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in recorded.iterdir()}
    assert modes == {f"{NOTEBOOK}.ipynb": 0o444, "sign.txt": 0o444, record.SECRET: 0o600}


def test_what_may_be_handed_in_changed_is_part_of_what_a_mark_depends_on(graded, tmp_path):
    own = small.copied(graded[0], tmp_path / "course")
    with open(own.root / "nbgrader_config.py", "a") as file:
        file.write("c.Autograde.exclude_overwriting = {}\n")
    settings = config.config(own)
    settings.CourseDirectory.assignment_id = ASSIGNMENT
    # What `nbgrader autograde` starts, here in this process.
    SandboxedAutograde(coursedir=CourseDirectory(config=settings), config=settings).start()
    assert record.submission_score(own, ASSIGNMENT, "ada") == 0
    assert record.submission_score(own, ASSIGNMENT, "ben") == 3
