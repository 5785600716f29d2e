"""`course adopt`: nbgrader's own courses, graded by nbgrader's own commands, before and after."""

import json
import shutil
from pathlib import Path

import pytest
from nbgrader.api import Gradebook
from typer.testing import CliRunner

from nbjudge import boxes
from nbjudge.cli import app
from nbjudge.course import adopt, adopt_demo
from nbjudge.course.adopt import LINES
from nbjudge.course.trial import Tried
from nbjudge.grading.config import settings
from tests.grading import small

ROOT = Path(__file__).resolve().parents[2]
CONFIG = "nbgrader_config.py"


def type_(*words):
    done = CliRunner().invoke(app, list(map(str, words)))
    return done.exit_code, done.output


@pytest.fixture
def course(tmp_path):
    root = tmp_path / "my course"
    (root / "source").mkdir(parents=True)
    return root


@pytest.fixture
def not_tried(monkeypatch):
    """What the files look like afterwards; what nbgrader then runs is tried in test_adopted_walls."""
    monkeypatch.setattr(adopt, "try_course", lambda root: Tried(steps=("nothing",)))


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"c = get_config()\n",
        b"c = get_config()\r\nc.CourseDirectory.course_id = 'a'\r\n",
        "c = get_config()  # Prüfung\n\n\n".encode(),
    ],
    ids=["empty", "plain", "from Windows", "no ASCII"],
)
def test_it_adds_two_lines_and_takes_them_out(course, not_tried, text):
    path = course / CONFIG
    path.write_bytes(text)
    path.chmod(0o640)
    assert type_("adopt", course)[0] == 0
    after = path.read_bytes()
    assert after.startswith(text) and len(after[len(text) :].splitlines()) == 2
    assert path.stat().st_mode & 0o777 == 0o640
    assert settings.read(course).HTMLExporter.sanitize_html is True
    code, said = type_("adopt", course)
    assert code == 0 and "as before" in said and path.read_bytes() == after
    assert type_("adopt", course, "--undo")[0] == 0
    assert (path.read_bytes() if text else path.exists()) == (text or False)
    code, said = type_("adopt", course, "--undo")
    assert code == 0 and "nothing to undo" in said


def test_the_folder_may_be_named_from_where_one_is(course, not_tried, monkeypatch):
    monkeypatch.chdir(course.parent)
    code, said = type_("adopt", course.name)
    assert code == 0, said
    assert (course / CONFIG).read_text().splitlines() == [*LINES]


def test_a_last_line_without_an_end_stays_a_line(course, not_tried):
    (course / CONFIG).write_text("c = get_config()")
    assert type_("adopt", course)[0] == 0
    assert (course / CONFIG).read_text().splitlines() == ["c = get_config()", *LINES]


def test_settings_in_json_alone_stay_as_they_are(course, not_tried):
    told = json.dumps({"CourseDirectory": {"course_id": "c-1"}})
    (course / "nbgrader_config.json").write_text(told)
    assert type_("adopt", course)[0] == 0
    assert settings.read(course).CourseDirectory.course_id == "c-1"
    assert type_("adopt", course, "--undo")[0] == 0
    assert (course / "nbgrader_config.json").read_text() == told
    assert [path.name for path in course.glob("nbgrader_config*")] == ["nbgrader_config.json"]


def test_settings_that_lie_elsewhere_are_changed_there(course, not_tried, tmp_path):
    """Several classes may share one file by a link."""
    shared = tmp_path / "shared.py"
    shared.write_text("c = get_config()\n")
    (course / CONFIG).symlink_to(shared)
    assert type_("adopt", course)[0] == 0
    assert (course / CONFIG).is_symlink() and LINES[0] in shared.read_text()


@pytest.mark.parametrize(
    ("text", "said"),
    [("c = (", "line 1"), ("raise KeyError('why')", "line 1"), ("c.Exchange = 3", "Exchange")],
)
def test_settings_that_cannot_be_read_are_left_alone(course, text, said):
    (course / CONFIG).write_text(text)
    code, line = type_("adopt", course)
    assert code == 2 and said in line and "Traceback" not in line
    assert (course / CONFIG).read_text() == text


@pytest.mark.parametrize("text", ["[]", "null", "3"])
def test_settings_in_json_that_are_none_are_named(course, text):
    path = course / "nbgrader_config.json"
    path.write_text(text)
    code, line = type_("adopt", course)
    assert code == 2 and "nbgrader_config.json" in line and "settings by name" in line
    assert path.read_text() == text and list(course.glob("nbgrader_config*")) == [path]


def test_lines_that_would_not_be_read_are_taken_back(course):
    text = "c = get_config()\ndef get_config():\n    raise OSError('mine')\n"
    (course / CONFIG).write_text(text)
    code, line = type_("adopt", course)
    assert code == 2 and "nothing was changed" in line
    assert (course / CONFIG).read_text() == text


def test_a_folder_that_is_no_course_is_named(tmp_path):
    code, line = type_("adopt", tmp_path)
    assert code == 2 and "no course of nbgrader's" in line and "`course adopt FOLDER`" in line
    assert not list(tmp_path.iterdir())


def test_without_a_sandbox_nothing_is_changed(course, monkeypatch):
    def refuse(*hidden):
        raise boxes.SandboxUnavailable("bubblewrap is not installed")

    monkeypatch.setattr(boxes, "require_sandbox", refuse)
    (course / CONFIG).write_text("c = get_config()\n")
    code, line = type_("adopt", course)
    assert code == 2 and "nothing was changed" in line and "bubblewrap" in line
    assert (course / CONFIG).read_text() == "c = get_config()\n"


def test_the_lines_that_publish_writes_are_not_touched(course):
    (course / CONFIG).write_text("from nbjudge.course.nbgrader_hooks import install\ninstall()\n")
    assert "as before" in type_("adopt", course)[1]
    code, line = type_("adopt", course, "--undo")
    assert code == 2 and "was not written by" in line


@pytest.mark.xdist_group("adopt")
def test_nbgraders_own_example_gives_the_same_marks_and_a_forgery_none(tmp_path, monkeypatch):
    """As `course adopt --demo` shows it."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    code, said = type_("adopt", "--demo")
    assert code == 0, said
    [folder] = tmp_path.glob("course-adopt-*")
    stock, adopted = (adopt_demo.marks_of(folder / name) for name in ("stock", "adopted"))
    assert stock == {"ann": "0 of 3", "bob": "3 of 3", "mal": "3 of 3"}
    assert adopted == {"ann": "0 of 3", "bob": "3 of 3", "mal": "0 of 3"}
    page = (ROOT / "docs" / "adopt.md").read_text()
    for student, who in adopt_demo.WHO.items():
        assert f"| {student} | {who} | {stock[student]} | {adopted[student]} |" in page


LATE = "c.AssignLatePenalties.plugin_class = 'late.Late'\n"
PLUGIN = """
from nbgrader.plugins import BasePlugin

class Late(BasePlugin):
    def late_submission_penalty(self, student_id, score, total_seconds_late):
        return score / 2 if total_seconds_late > 0 else None
"""


@pytest.mark.xdist_group("adopt")
def test_hidden_tests_answers_marked_by_hand_and_penalties_are_as_in_stock(tmp_path):
    stock, adopted = tmp_path / "stock", tmp_path / "adopted"
    source = stock / "source" / small.ASSIGNMENT
    source.mkdir(parents=True)
    given = [*small.cells(), small.markdown("task", small.TASK, small.meta("draw", 2, task=True))]
    notebook = {**small.notebook(given), "nbformat_minor": 5}
    (source / f"{small.NOTEBOOK}.ipynb").write_text(json.dumps(notebook))
    (stock / "late.py").write_text(PLUGIN)
    (stock / CONFIG).write_text(f"c = get_config()\n{LATE}")
    adopt_demo.run(stock, "generate_assignment", small.ASSIGNMENT, "--create")
    release = json.loads(
        (stock / "release" / small.ASSIGNMENT / f"{small.NOTEBOOK}.ipynb").read_text()
    )
    assert "-2" not in json.dumps(release), "nbgrader takes the hidden test out"
    for student, answers, time in (
        ("right", {"square": small.RIGHT, "essay": "Because."}, "2026-01-01 12:00:00 UTC"),
        ("wrong", {"square": small.WRONG}, "2026-01-01 12:00:00 UTC"),
        ("visible", {"square": "def square(x):\n    return 9"}, "2026-01-01 12:00:00 UTC"),
        ("late", {"square": small.RIGHT, "draw": "An axis."}, "2026-01-03 12:00:00 UTC"),
        ("nothing", {}, "2026-01-01 12:00:00 UTC"),
    ):
        document = json.loads(json.dumps(release))
        for cell in document["cells"]:
            name = cell["metadata"].get("nbgrader", {}).get("grade_id")
            cell["source"] = answers.get(name, cell["source"])
        folder = stock / "submitted" / student / small.ASSIGNMENT
        folder.mkdir(parents=True)
        (folder / f"{small.NOTEBOOK}.ipynb").write_text(json.dumps(document))
        (folder / "timestamp.txt").write_text(time)
    with Gradebook(f"sqlite:///{stock / 'gradebook.db'}") as gradebook:
        gradebook.update_or_create_assignment(small.ASSIGNMENT, duedate="2026-01-02 12:00:00 UTC")
    shutil.copytree(stock, adopted)
    assert type_("adopt", adopted)[0] == 0
    marks = {}
    for course in (stock, adopted):
        adopt_demo.run(course, "autograde", small.ASSIGNMENT, "--create")
        marks[course] = book(course)
    assert marks[adopted] == marks[stock]
    told = {student: (row["score"], row["penalty"]) for student, row in marks[stock].items()}
    assert told == {
        "right": (3, 0),
        "wrong": (0, 0),
        "visible": (0, 0),
        "late": (3, 1.5),
        "nothing": (0, 0),
    }


def kinds(release, solved):
    """The students of the review's two public courses: each one's notebook, by the kind of work."""

    def changed(document, change):
        copy = json.loads(json.dumps(document))
        change(copy["cells"])
        return copy

    def test_cells(cells):
        return [
            cell for cell in cells if cell["metadata"].get("nbgrader", {}).get("points") is not None
        ]

    def without_ids(document):
        left = {**document, "nbformat_minor": 4}
        for cell in left["cells"]:
            cell.pop("id")
        return left

    first = {"square": small.RIGHT}
    return {
        "perfect": solved,
        "half": changed(release, lambda cells: answer(cells, first)),
        "stub": release,
        "deleted": changed(
            solved, lambda cells: [cells.remove(cell) for cell in test_cells(cells)[:1]]
        ),
        "errors": changed(solved, lambda cells: cells.insert(0, small.code("own", "1 / 0"))),
        "task": changed(solved, lambda cells: answer(cells, {"draw": "An axis."})),
        "noids": without_ids(json.loads(json.dumps(solved))),
        "forged": changed(
            release,
            lambda cells: [
                cell["metadata"].update(tags=["skip-execution"]) for cell in test_cells(cells)
            ],
        ),
    }


def answer(cells, answers):
    for cell in cells:
        name = cell["metadata"].get("nbgrader", {}).get("grade_id")
        cell["source"] = answers.get(name, cell["source"])


@pytest.mark.slow
@pytest.mark.xdist_group("adopt")
def test_eight_kinds_of_students_get_stock_s_marks_and_the_forger_none(tmp_path):
    """As `docs/adopt.md` says it of two public courses, here of a small one of their shapes."""
    stock, adopted = tmp_path / "stock", tmp_path / "adopted"
    source = stock / "source" / small.ASSIGNMENT
    source.mkdir(parents=True)
    cube = "def cube(x):\n    ### BEGIN SOLUTION\n    return x**3\n    ### END SOLUTION"
    partial = "score = 2.0 * (cube(2) == 8)\nscore"
    given = [
        *small.cells(),
        small.code("cube", cube, small.meta("cube", solution=True)),
        small.code("test-cube", partial, small.meta("test-cube", 2)),
        small.markdown("task", small.TASK, small.meta("draw", 2, task=True)),
    ]
    (source / f"{small.NOTEBOOK}.ipynb").write_text(json.dumps(small.notebook(given)))
    (stock / CONFIG).write_text("c = get_config()\n")
    adopt_demo.run(stock, "generate_assignment", small.ASSIGNMENT, "--create")
    release = json.loads(
        (stock / "release" / small.ASSIGNMENT / f"{small.NOTEBOOK}.ipynb").read_text()
    )
    solved = json.loads(json.dumps(release))
    answer(solved["cells"], {"square": small.RIGHT, "cube": "def cube(x):\n    return x**3"})
    for student, document in kinds(release, solved).items():
        folder = stock / "submitted" / student / small.ASSIGNMENT
        folder.mkdir(parents=True)
        (folder / f"{small.NOTEBOOK}.ipynb").write_text(json.dumps(document))
    shutil.copytree(stock, adopted)
    assert type_("adopt", adopted)[0] == 0
    for course in (stock, adopted):
        adopt_demo.run(course, "autograde", small.ASSIGNMENT)
    before, after = book(stock), book(adopted)
    differ = {
        student: (before[student]["score"], after[student]["score"])
        for student in before
        if before[student] != after[student]
    }
    assert len(before) == 8 and differ == {"forged": (5, 0)}


def test_source_counts_as_solutions_do(course, monkeypatch):
    """Typed in nbgrader's own folder, from the release to the marks."""
    monkeypatch.chdir(course)
    (course / CONFIG).write_text("c = get_config()\n")
    folder = course / "source" / small.ASSIGNMENT
    folder.mkdir()
    (folder / f"{small.NOTEBOOK}.ipynb").write_text(json.dumps(small.notebook(small.cells())))
    for command in ("release", "publish", f"submit labs/{small.ASSIGNMENT} --as ada --zip a.zip"):
        assert type_(*command.split())[0] == 0
    code, said = type_("release", "no-such")
    assert code == 2 and "source/ has no assignment" in said
    assert type_("collect", small.ASSIGNMENT, "--zip", "a.zip", "--as", "ada")[0] == 0
    assert type_("grade", small.ASSIGNMENT)[0] == 0


def book(root) -> dict:
    """All that nbgrader's gradebook says of each student."""
    with Gradebook(f"sqlite:///{root / 'gradebook.db'}") as gradebook:
        return {
            submission.student.id: {
                "score": submission.score,
                "penalty": submission.late_submission_penalty,
                "by hand": submission.needs_manual_grade,
                "cells": {
                    grade.name: (grade.auto_score, grade.manual_score, grade.needs_manual_grade)
                    for notebook in submission.notebooks
                    for grade in notebook.grades
                },
            }
            for submission in gradebook.assignment_submissions(small.ASSIGNMENT)
        }
