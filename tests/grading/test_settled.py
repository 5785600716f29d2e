"""Marks that people gave, when the work is graded again: settled where what they looked at is the
same, flagged where it is not.
"""

import json

import pytest

from nbjudge.course.publish import publish
from nbjudge.course.release import release
from nbjudge.grading.config.folders import Course
from nbjudge.grading.gradebook import record
from nbjudge.grading.marks.settled import Settled
from nbjudge.grading.run import coordinator
from tests.grading import small
from tests.grading.small import ASSIGNMENT, NOTEBOOK, RIGHT, WRONG, code, markdown, meta

pytestmark = pytest.mark.xdist_group("settled")
DRAW = "### BEGIN SOLUTION\nprint('a plot')\n### END SOLUTION"
# Ends with an object whose text has an address in memory, as most plots do.
PLOT = "import matplotlib.pyplot as plt\nplt.plot([1, square(2)])"
ANSWERS = {"square": RIGHT, "essay": "Because.", "plot": PLOT}
DRAWING = code("mine", "print('my drawing')")
MARKED = {"essay", "plot", "task", "test-square"}


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    cells = [
        code("answer", small.SOLUTION, meta("square", solution=True)),
        code("test", small.TEST, meta("test-square", 3)),
        markdown("essay", small.ESSAY, meta("essay", 5, solution=True)),
        code("plot", DRAW, meta("plot", 4, solution=True)),
        markdown("task", small.TASK, meta("task", 3, task=True)),
    ]
    return small.published(tmp_path_factory.mktemp("published"), cells)


def hand_in(project, course, answers, *own):
    document = small.answered(project, answers)
    document["cells"] += own
    folder = course.submitted / "ada" / ASSIGNMENT
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{NOTEBOOK}.ipynb").write_text(json.dumps(document))


def grade(course, **options):
    report = coordinator.grade(course, coordinator.GradingRequest(ASSIGNMENT, seed=1, **options))
    assert report.exit_code == 0
    (result,) = report.submissions
    with record.gradebook(course) as book:
        (notebook,) = book.find_submission(ASSIGNMENT, "ada").notebooks
        flagged = {grade.name for grade in notebook.grades if grade.needs_manual_grade}
        kept = {
            (grade.name, grade.manual_score, grade.extra_credit)
            for grade in notebook.grades
            if grade.manual_score is not None
        }
        comments = {comment.name: comment.manual_comment for comment in notebook.comments}
    assert result.needs_manual is bool(flagged)
    return flagged, kept, comments


def mark(course):
    """A person marks everything, overrides a test, and writes a comment."""
    with record.gradebook(course) as book:
        (notebook,) = book.find_submission(ASSIGNMENT, "ada").notebooks
        for one in notebook.grades:
            one.manual_score, one.needs_manual_grade = 2.5, False
            one.extra_credit = 0.5 if one.name == "essay" else None
        for comment in notebook.comments:
            if comment.name == "essay":
                comment.manual_comment = "Why *so*?"
        book.db.commit()


@pytest.fixture(scope="module")
def marked_once(original, tmp_path_factory):
    project, course = original
    course = small.copied(course, tmp_path_factory.mktemp("marked") / "course")
    hand_in(project, course, ANSWERS, DRAWING)
    assert grade(course)[0] == {"essay", "plot", "task"}
    mark(course)
    return project, course


@pytest.fixture
def marked(marked_once, tmp_path):
    project, course = marked_once
    return project, small.copied(course, tmp_path / "course")


def test_what_did_not_change_stays_settled_with_all_that_a_person_gave(marked):
    _, course = marked
    flagged, kept, comments = grade(course, force=True)
    assert flagged == set()
    assert kept == {(name, 2.5, 0.5 if name == "essay" else None) for name in MARKED}
    assert comments["essay"] == "Why *so*?"
    assert grade(course, force=True)[0] == set()


CHANGES = {
    "the same, handed in again": (ANSWERS, (DRAWING,), set()),
    "a blank at the end": ({**ANSWERS, "square": RIGHT + "\n"}, (DRAWING,), {"test-square"}),
    "the essay": ({**ANSWERS, "essay": "Because of it."}, (DRAWING,), {"essay"}),
    "the plot": ({**ANSWERS, "plot": PLOT + "\nplt.title('x')"}, (DRAWING,), {"plot"}),
    "what the plot shows": (
        {**ANSWERS, "square": WRONG + " + x"}, (DRAWING,), {"plot", "test-square"}),
    "the drawing": (ANSWERS, (code("mine", "print('another')"),), {"task"}),
    "the drawing is gone": (ANSWERS, (), {"task"}),
    "the task's own text": ({**ANSWERS, "task": "Drawn."}, (DRAWING,), {"task"}),
}  # fmt: skip


@pytest.mark.parametrize("what", CHANGES)
def test_what_changed_is_flagged_and_nothing_else(marked, what):
    project, course = marked
    answers, own, changed = CHANGES[what]
    hand_in(project, course, answers, *own)
    flagged, kept, comments = grade(course)
    assert flagged == changed
    assert {name for name, *_ in kept} == MARKED and comments["essay"] == "Why *so*?"
    # Until somebody has looked, it stays flagged.
    assert grade(course, force=True)[0] == changed
    mark(course)
    assert grade(course, force=True)[0] == set()


def test_a_mended_test_asks_nobody_about_essays_again(marked, tmp_path):
    project, course = marked
    path = project.solutions / ASSIGNMENT / f"{NOTEBOOK}.ipynb"
    before = path.read_text()
    try:
        mended = before.replace("square(-2) == 4", "square(-2) == 5")
        # The solution earns what the test asks for, or it would not be released.
        path.write_text(mended.replace("return x * x", "return x * x + (x == -2)"))
        release(project)
        publish(course, project, exchange=False)
        assert grade(course)[0] == {"test-square"}
    finally:
        path.write_text(before)
        release(project)


def test_where_nothing_is_filed_nbgraders_rule_holds(marked):
    _, course = marked
    for path in (course.root / ".nbjudge" / "settled" / ASSIGNMENT).iterdir():
        path.write_text("{")
    assert grade(course, force=True)[0] == {"essay", "plot", "test-square"}


def test_a_run_that_is_killed_behind_the_gradebook_flags_once_too_often(marked, monkeypatch):
    project, course = marked
    hand_in(project, course, {**ANSWERS, "essay": "Because of it."}, DRAWING)

    def killed(self, student, digests):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(Settled, "file", killed)
        grade(course)
    assert grade(Course(course.root))[0] == {"essay"}
