"""The rows that grading writes are those that nbgrader's own methods and preprocessors write, for any
sequence of submissions and of marks by hand. One flag is another on purpose: a mark that a person
gave stays settled while the work that it marks is the same (`settled`).
"""

import shutil
import sqlite3
from types import SimpleNamespace

import nbformat
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from nbgrader.api import Gradebook
from nbgrader.plugins import BasePlugin
from nbgrader.preprocessors import AssignLatePenalties, SaveAutoGrades
from nbgrader.utils import parse_utc
from sqlalchemy import event
from traitlets.config import Config

from nbjudge.grading.config.folders import COURSE_ID, Course
from nbjudge.grading.gradebook.record import Recorder
from nbjudge.grading.gradebook.settle import PenaltyError
from nbjudge.grading.marks import settled
from nbjudge.grading.marks.results import GRADED, NotebookResult, SubmissionResult
from nbjudge.grading.reuse.journal import Journal
from nbjudge.grading.run import submissions
from tests.grading import small
from tests.grading.small import ASSIGNMENT, NOTEBOOK, RIGHT

DUE = "2026-03-01 12:00:00 UTC"
TIMES = [None, "no time", "2026-03-01 11:00:00 UTC", "2026-03-01 12:30:00 UTC", "2026-03-02 12:00"]
CELLS = [
    *small.cells(),
    small.markdown("task", small.TASK, small.meta("draw", 2, task=True)),
    small.code("both", small.SOLUTION.replace("square", "cube"), small.meta("cube", 2, True)),
]
OUTPUTS = [
    [],
    [{"output_type": "stream", "name": "stdout", "text": "fine"}],
    [{"output_type": "stream", "name": "stderr", "text": "hm"}],
    [{"output_type": "error", "ename": "E", "evalue": "", "traceback": []}],
    [
        {
            "output_type": "execute_result",
            "data": {"text/plain": "1.5"},
            "metadata": {},
            "execution_count": None,
        }
    ],
]
STUDENTS = st.sampled_from(["ada", "bob", "eve"])
HAND_IN = st.tuples(
    STUDENTS,
    st.sampled_from(TIMES),
    st.sampled_from(OUTPUTS),
    st.sets(st.sampled_from(["square", "essay", "draw", "cube"])),
)
# Those that are recorded together.
HAND_INS = st.tuples(
    st.just("hand in"),
    st.lists(HAND_IN, min_size=1, max_size=3, unique_by=lambda one: one[0]),
)
MARKS = st.tuples(
    st.just("mark"),
    STUDENTS,
    st.sampled_from(["test-square", "essay", "draw", "cube"]),
    st.sampled_from([None, 0.0, 1.5]),
)
ROWS = {
    "students": "SELECT * FROM student ORDER BY id",
    "submissions": """
        SELECT s.student_id, a.name, s.timestamp, s.extension FROM submitted_assignment s
        JOIN assignment a ON a.id = s.assignment_id ORDER BY 1, 2""",
    "notebooks": """
        SELECT s.student_id, n.name, b.flagged, b.late_submission_penalty FROM submitted_notebook b
        JOIN submitted_assignment s ON s.id = b.assignment_id
        JOIN notebook n ON n.id = b.notebook_id ORDER BY 1, 2""",
    "grades": """
        SELECT s.student_id, n.name, c.name, c.type, g.auto_score, g.manual_score, g.extra_credit,
        g.needs_manual_grade FROM grade g JOIN base_cell c ON c.id = g.cell_id
        JOIN submitted_notebook b ON b.id = g.notebook_id JOIN notebook n ON n.id = b.notebook_id
        JOIN submitted_assignment s ON s.id = b.assignment_id ORDER BY 1, 2, 3, 4""",
    "comments": """
        SELECT s.student_id, n.name, c.name, c.type, g.auto_comment, g.manual_comment
        FROM comment g JOIN base_cell c ON c.id = g.cell_id
        JOIN submitted_notebook b ON b.id = g.notebook_id JOIN notebook n ON n.id = b.notebook_id
        JOIN submitted_assignment s ON s.id = b.assignment_id ORDER BY 1, 2, 3, 4""",
}


class Hourly(BasePlugin):
    def late_submission_penalty(self, student_id, score, total_seconds_late):
        return total_seconds_late / 3600 + score / 8


class Broken(BasePlugin):
    def late_submission_penalty(self, student_id, score, total_seconds_late):
        raise ValueError(f"no penalty for {student_id}")


class Unknown(BasePlugin):
    def late_submission_penalty(self, student_id, score, total_seconds_late):
        return float("nan")


CONFIG = Config({"AssignLatePenalties": {"plugin_class": Hourly}})
BROKEN = {"Broken failed: ValueError: no penalty for eve": Broken, "NaN": Unknown}


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rows")
    project, course = small.published(folder, CELLS)
    with Gradebook(course.gradebook_url, COURSE_ID) as book:
        book.find_assignment(ASSIGNMENT).duedate = parse_utc(DUE)
        book.db.commit()
    return SimpleNamespace(project=project, course=course, folder=folder)


def result_of(published, student, when, outputs, answered) -> SubmissionResult:
    document = small.answered(published.project, {name: RIGHT for name in answered})
    for cell in document["cells"]:
        cell["source"] = "".join(cell["source"])  # a file may hold a list of lines
        if cell["cell_type"] == "code":
            cell["outputs"], cell["execution_count"] = outputs, 1
    books = {NOTEBOOK: NotebookResult(GRADED)}
    documents = {NOTEBOOK: document}
    return SubmissionResult(student, 12.0, notebooks=books, documents=documents, timestamp=when)


def by_nbgrader(url: str, result: SubmissionResult) -> None:
    """As `nbgrader autograde` does it, from the gradebook's methods to the last preprocessor."""
    with Gradebook(url, COURSE_ID) as book:
        book.update_or_create_student(result.student)
        known = result.timestamp not in (None, "no time")
        when = {"timestamp": parse_utc(result.timestamp)} if known else {}
        book.update_or_create_submission(ASSIGNMENT, result.student, **when)
    own = {"assignment": ASSIGNMENT, "student": result.student, "db_url": url}
    for name, document in result.documents.items():
        for step in (SaveAutoGrades(config=CONFIG), AssignLatePenalties(config=CONFIG)):
            resources = {"nbgrader": {**own, "notebook": name}}
            step.preprocess(nbformat.from_dict(document), resources)


def keep_settled(course: Course, before: set, filed: dict, now: dict) -> None:
    """Set the flag of the marks of `before` as rules 2 and 3 of `settled` say."""
    for (student, cell), name in before:
        if name in filed and name in now:
            with Gradebook(course.gradebook_url, COURSE_ID) as book:
                grade = book.find_grade(cell, NOTEBOOK, ASSIGNMENT, student)
                grade.needs_manual_grade = filed[name] != now[name]
                book.db.commit()


def settled_marks(course: Course, student: str) -> set:
    return {
        ((student, cell), (notebook, cell))
        for who, notebook, cell, _, _, manual, _, flagged in rows(course)["grades"]
        if who == student and manual is not None and not flagged
    }


HANDED_IN = ("hand in", [("ada", None, OUTPUTS[3], set())])
MARKED = ("mark", "ada", "test-square", 1.5)


def mark(url: str, student: str, cell: str, score: float | None) -> None:
    with Gradebook(url, COURSE_ID) as book:
        if student in {each.student.id for each in book.assignment_submissions(ASSIGNMENT)}:
            book.find_grade(cell, NOTEBOOK, ASSIGNMENT, student).manual_score = score
            book.db.commit()


def rows(course: Course) -> dict[str, list[tuple]]:
    database = sqlite3.connect(course.gradebook)
    try:
        return {name: database.execute(text).fetchall() for name, text in ROWS.items()}
    finally:
        database.close()


@pytest.mark.slow
@settings(max_examples=settings().max_examples // 2, deadline=None)
@given(steps=st.lists(st.one_of(HAND_INS, HAND_INS, MARKS), min_size=1, max_size=5))
@example(steps=[HANDED_IN, MARKED, HANDED_IN])
@example(steps=[HANDED_IN, MARKED, ("hand in", [("ada", None, OUTPUTS[0], {"square"})])])
def test_they_are_nbgraders_own(published, steps):
    ours, theirs = (Course.at(published.folder / name) for name in ("ours", "theirs"))
    for course in (ours, theirs):
        shutil.rmtree(course.root, ignore_errors=True)
        course.root.mkdir()
        shutil.copy(published.course.gradebook, course.gradebook)
    recorder = Recorder(ours, ASSIGNMENT, CONFIG)
    looked_at: dict[str, dict] = {}
    for what, *told in steps:
        if what == "mark":
            for course in (ours, theirs):
                mark(course.gradebook_url, *told)
        else:
            results = [result_of(published, *one) for one in told[0]]
            recorder.record(results)
            for result in results:
                before = settled_marks(theirs, result.student)
                by_nbgrader(theirs.gradebook_url, result)
                now = settled.digests(result.documents)
                keep_settled(theirs, before, looked_at.get(result.student, {}), now)
                looked_at[result.student] = now
    recorder.close()
    assert rows(ours) == rows(theirs)


@pytest.mark.parametrize("told", BROKEN)
def test_what_fails_halfway_leaves_nothing(published, told):
    course = Course.at(published.folder / BROKEN[told].__name__)
    course.root.mkdir()
    shutil.copy(published.course.gradebook, course.gradebook)
    config = Config({"AssignLatePenalties": {"plugin_class": BROKEN[told]}})
    before, recorder = rows(course), Recorder(course, ASSIGNMENT, config)
    in_time, late = TIMES[2], TIMES[3]
    with pytest.raises(PenaltyError, match=told):
        recorder.record(
            [
                result_of(published, student, when, [], {"square"})
                for student, when in (("ada", in_time), ("eve", late))
            ]
        )
    recorder.close()
    assert rows(course) == before
    recorder.record([result_of(published, "bob", in_time, [], {"square"})])
    recorder.close()
    assert [row[0] for row in rows(course)["submissions"]] == ["bob"]


def test_one_that_cannot_be_recorded_costs_no_other(published):
    course = Course.at(published.folder / "together")
    course.root.mkdir()
    shutil.copy(published.course.gradebook, course.gradebook)
    journal, recorder = Journal(course, ASSIGNMENT), Recorder(course, ASSIGNMENT)
    results = [result_of(published, name, None, [], set()) for name in ("ada", "eve", "bob")]
    results[1].documents = {"elsewhere": results[1].documents[NOTEBOOK]}
    for result in results:
        journal.write(result.student, {}, result, {})
    run = SimpleNamespace(recorder=recorder, journal=journal)
    assert submissions._recorded(run, results) == results
    recorder.close()
    assert [result.fault is not None for result in results] == [False, True, False]
    assert "no notebook 'elsewhere'" in results[1].fault
    assert [row[0] for row in rows(course)["submissions"]] == ["ada", "bob"]
    known = [journal.read(result.student).is_recorded for result in results]
    assert known == [True, False, True]


def test_all_that_is_ready_together_is_committed_once(published):
    """However often nbgrader's own methods commit."""
    course = Course.at(published.folder / "once")
    course.root.mkdir()
    shutil.copy(published.course.gradebook, course.gradebook)
    recorder, commits = Recorder(course, ASSIGNMENT, CONFIG), []
    event.listen(recorder._opened().engine, "commit", commits.append)
    recorder.record(
        [result_of(published, name, TIMES[3], [], {"square"}) for name in ("ada", "eve")]
    )
    assert len(commits) == 1
    recorder.record([result_of(published, name, TIMES[4], [], set()) for name in ("ada", "bob")])
    assert len(commits) == 2
    recorder.close()
    assert [row[0] for row in rows(course)["submissions"]] == ["ada", "bob", "eve"]


def test_no_table_that_grows_with_the_class_is_read_from_end_to_end(published):
    """Else each submission would cost more than the one before it."""
    course = Course.at(published.folder / "plans")
    course.root.mkdir()
    shutil.copy(published.course.gradebook, course.gradebook)
    recorder, said = Recorder(course, ASSIGNMENT, CONFIG), []
    recorder.record([result_of(published, "ada", TIMES[3], [], {"square"})])
    event.listen(
        recorder._book.engine,
        "before_cursor_execute",
        lambda connection, cursor, text, values, *more: said.append((text, values)),
    )
    for together in ([("ada", TIMES[2])], [("ada", TIMES[3]), ("bob", TIMES[3])]):
        recorder.record(
            [result_of(published, *who_and_when, [], {"square"}) for who_and_when in together]
        )
    recorder.close()
    database = sqlite3.connect(course.gradebook)
    plans = [
        (step[3], text)
        for text, values in said
        if text.startswith(("SELECT", "UPDATE"))
        for step in database.execute(f"EXPLAIN QUERY PLAN {text}", _once(values))
    ]
    database.close()
    grown = ("grade", "comment", "submitted_notebook", "submitted_assignment", "student")
    assert plans
    assert [plan for plan in plans if plan[0].removeprefix("SCAN ").split()[0] in grown] == []


def _once(values):
    """The first of several rows of values."""
    return values[0] if isinstance(values, list) else values
