"""What comes back: feedback in the exchange, late penalties, extensions, and final marks that are
the same everywhere.
"""

import csv
import json
import re
import shutil
import subprocess
import sys

import pytest
import requests
import servers
import small
from nbgrader.utils import parse_utc
from small import ASSIGNMENT, NOTEBOOK, RIGHT, WRONG

from autograder.course import exchange, timed
from autograder.course import feedback as pages
from autograder.course.export import export
from autograder.course.extend import extend
from autograder.course.feedback import feedback, return_feedback
from autograder.course.timed import LEFT_OUT
from autograder.grading import coordinator, extensions, record

DUE, LATE = "2026-03-01 12:00:00 UTC", "2026-03-01 13:00:00 UTC"
MINUTES = 240  # a bound for a loaded machine, in seconds
pytestmark = pytest.mark.xdist_group("returning")
LATE_MARKS = """
from nbgrader.plugins import BasePlugin


class Hourly(BasePlugin):
    def late_submission_penalty(self, student_id, score, total_seconds_late):
        return total_seconds_late / 3600
"""


def grade(course, **options):
    report = coordinator.grade(course, coordinator.GradingRequest(ASSIGNMENT, seed=1, **options))
    assert report.exit_code == 0
    return {result.student: result for result in report.submissions}


def course_command(course, *words):
    return subprocess.run(
        ["course", *words, "--course", course.root], cwd=course.root, capture_output=True, text=True
    )


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    return small.published(tmp_path_factory.mktemp("published"), exchange=True)


@pytest.fixture(scope="module")
def once_sent(original, tmp_path_factory):
    """Ada handed in through the exchange, Bob by mail; both are graded and have their pages."""
    project, course = original
    tmp_path = tmp_path_factory.mktemp("sent")
    course = small.copied(course, tmp_path / "course")
    ada = tmp_path / "ada"
    small.put(project, ada / ASSIGNMENT, {"square": RIGHT})
    small.submit(ada, course)
    assert exchange.collect_from_exchange(course, ASSIGNMENT).students == ["ada"]
    small.hand_in(project, course, "bob", {"square": WRONG}, LATE)
    grade(course)
    feedback(course, ASSIGNMENT)
    return course, ada


@pytest.fixture
def sent(once_sent, tmp_path):
    course, ada = once_sent
    return small.copied(course, tmp_path / "course"), shutil.copytree(ada, tmp_path / "ada")


def test_a_student_fetches_the_feedback_that_was_sent(sent):
    course, ada = sent
    done = course_command(course, "feedback", ASSIGNMENT, "--send")
    assert done.returncode == 0, done.stderr
    assert "did not hand in through the exchange: bob" in done.stdout
    (page,) = small.fetch_feedback(ada, course)
    assert page.name == f"{NOTEBOOK}.html" and "Score: 3.0 / 8.0" in " ".join(
        page.read_text().split()
    )


def test_feedback_goes_to_the_students_that_are_named(sent):
    course, ada = sent
    bobs = return_feedback(course, ASSIGNMENT, ["bob"])
    assert (bobs.students, bobs.left_out) == ([], ["bob"]) and small.fetch_feedback(
        ada, course
    ) == []
    assert return_feedback(course, ASSIGNMENT, ["ada"]).students == ["ada"]


def test_processes_write_the_same_pages(sent, monkeypatch):
    course, _ = sent
    monkeypatch.setattr(pages, "WORTH_A_PROCESS", 1)
    told = []
    alone = {page: page.read_bytes() for page in feedback(course, ASSIGNMENT, jobs=1)}
    shutil.rmtree(course.feedback)
    several = feedback(course, ASSIGNMENT, jobs=2, told=lambda *count: told.append(count))
    assert {page: page.read_bytes() for page in several} == alone
    assert len(alone) == 2 and told == [(1, 2), (2, 2)]


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_page_that_cannot_be_written_is_named(sent, monkeypatch, jobs):
    course, _ = sent
    monkeypatch.setattr(pages, "WORTH_A_PROCESS", 1)
    shutil.rmtree(course.feedback)
    (course.autograded / "ada" / ASSIGNMENT / f"{NOTEBOOK}.ipynb").write_text("{")
    with pytest.raises(pages.FeedbackError, match="the feedback of ada"):
        feedback(course, ASSIGNMENT, jobs=jobs)
    assert (course.feedback / "bob" / ASSIGNMENT / f"{NOTEBOOK}.html").is_file()


def put_slow(course, student):
    """A product that takes hours to colour, as a course may have recorded it that was graded before:
    from each of its names, IPython's lexer looks for a question mark.
    """
    path = course.autograded / student / ASSIGNMENT / f"{NOTEBOOK}.ipynb"
    document = json.loads(path.read_text())
    (answer,) = (cell for cell in document["cells"] if cell["id"] == "answer")
    answer["source"] = "mine = 1" + "**a" * 100_000
    document["metadata"]["language_info"] = {"name": "python", "pygments_lexer": "ipython3"}
    path.write_text(json.dumps(document))


def test_a_page_that_takes_minutes_holds_nobody_up(sent):
    course, _ = sent
    put_slow(course, "ada")
    with open(course.root / "nbgrader_config.py", "a") as file:
        file.write("\nc.CoursePage.seconds = 3\n")
    done = course_command(course, "feedback", ASSIGNMENT)
    assert done.returncode == 0, done.stderr
    (line,) = (line for line in done.stdout.splitlines() if "took more than 3 s" in line)
    assert line.startswith(f"ada: the page of {NOTEBOOK}") and "c.CoursePage.seconds" in line
    ada, bob = (
        " ".join((course.feedback / who / ASSIGNMENT / f"{NOTEBOOK}.html").read_text().split())
        for who in ("ada", "bob")
    )
    assert "Score: 3.0 / 8.0" in ada and LEFT_OUT in ada and "mine" not in ada
    assert LEFT_OUT not in bob and "x + x" in re.sub("<[^>]*>", "", bob)


def test_nbgraders_own_command_has_the_limit_too(sent):
    course, _ = sent
    put_slow(course, "ada")
    command = [sys.executable, "-m", "nbgrader", "generate_feedback", ASSIGNMENT, "--force"]
    done = subprocess.run(
        [*command, "--CoursePage.seconds=3"], cwd=course.root, capture_output=True, text=True
    )
    assert done.returncode == 0 and f"ada: the page of {NOTEBOOK} took more" in done.stderr
    assert LEFT_OUT in (course.feedback / "ada" / ASSIGNMENT / f"{NOTEBOOK}.html").read_text()


def test_formgraders_page_has_the_limit_and_the_server_goes_on(sent):
    course, _ = sent
    put_slow(course, "ada")
    with open(course.root / "nbgrader_config.py", "a") as file:
        file.write("\nc.CoursePage.seconds = 3\n")
    with record.gradebook(course) as book:
        ids = [
            book.find_submission_notebook(NOTEBOOK, ASSIGNMENT, who).id for who in ("ada", "bob")
        ]
    with servers.formgrader(course.root) as address:
        ada, bob = (
            requests.get(f"{address}/submissions/{each}/?index=0", timeout=MINUTES) for each in ids
        )
    assert ada.ok and LEFT_OUT in " ".join(ada.text.split()) and "mine" not in ada.text
    assert bob.ok and LEFT_OUT not in bob.text


def test_a_page_that_is_slow_by_itself_costs_its_student_the_page(sent, monkeypatch):
    course, _ = sent
    put_slow(course, "bob")
    monkeypatch.setattr(timed, "_without_own", lambda notebook: notebook)
    with open(course.root / "nbgrader_config.py", "a") as file:
        file.write("\nc.CoursePage.seconds = 3\n")
    with pytest.raises(pages.FeedbackError, match="bob"):
        feedback(course, ASSIGNMENT, jobs=1)
    assert (course.feedback / "ada" / ASSIGNMENT / f"{NOTEBOOK}.html").is_file()


@pytest.mark.parametrize("seconds", ["0", "'soon'"])
def test_a_limit_that_is_none_is_said_in_one_line(sent, seconds):
    course, _ = sent
    with open(course.root / "nbgrader_config.py", "a") as file:
        file.write(f"\nc.CoursePage.seconds = {seconds}\n")
    done = course_command(course, "feedback", ASSIGNMENT)
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1
    assert "nbgrader_config.py" in done.stderr and "seconds" in done.stderr


def test_nbgraders_own_command_leaves_out_who_has_no_secret(sent):
    course, ada = sent
    command = [sys.executable, "-m", "nbgrader", "release_feedback", ASSIGNMENT]
    done = subprocess.run(command, cwd=course.root, capture_output=True, text=True)
    assert done.returncode == 0 and "bob" in done.stderr
    assert len(small.fetch_feedback(ada, course)) == 1


@pytest.mark.parametrize(
    "secret", ["", "../../x", "short", "ff" * 400], ids=["empty", "path", "short", "long"]
)
def test_a_secret_that_nbgrader_did_not_make_is_none(secret, tmp_path):
    from autograder.grading import intake

    folder = tmp_path / "eve" / ASSIGNMENT
    folder.mkdir(parents=True)
    (folder / "submission_secret.txt").write_text(secret)
    submission = intake.take(tmp_path, "eve", ASSIGNMENT, with_files=True)
    assert submission.secret is None and submission.files == {}


@pytest.fixture
def late(original, tmp_path):
    """Two students, one hour late each, and an instructor whose plugin takes a point an hour."""
    project, course = original
    course = small.copied(course, tmp_path / "course")
    (course.root / "late_marks.py").write_text(LATE_MARKS)
    with open(course.root / "nbgrader_config.py", "a") as file:
        file.write("\nc.AssignLatePenalties.plugin_class = 'late_marks.Hourly'\n")
    with record.gradebook(course) as book:
        book.find_assignment(ASSIGNMENT).duedate = parse_utc(DUE)
        book.db.commit()
    for student in ("ada", "bob"):
        small.hand_in(project, course, student, {"square": RIGHT, "essay": "Because."}, LATE)
    return course


def marks(course):
    """What each place says of a student: the gradebook, the exported table, and grading again,
    which starts nothing anew.
    """
    export(course, "csv", course.root / "grades.csv")
    rows = {
        row["student_id"]: float(row["score"])
        for row in csv.DictReader((course.root / "grades.csv").open())
    }
    results = grade(course)
    with record.gradebook(course) as book:
        submissions = {each.student.id: each for each in book.assignment_submissions(ASSIGNMENT)}
        books = {
            student: each.score - each.late_submission_penalty
            for student, each in submissions.items()
        }
        waiting = {student: each.needs_manual_grade for student, each in submissions.items()}
    assert {student: result.score for student, result in results.items()} == books == rows
    assert {student: result.needs_manual for student, result in results.items()} == waiting
    return books


def test_late_penalties_and_extensions_count_in_every_place(late):
    ada = grade(late)["ada"].to_json()
    assert (ada["score"], ada["late_penalty"]) == (2.0, 1.0)
    assert marks(late) == {"ada": 2.0, "bob": 2.0}
    assert "30 minutes more" in extend(late, ASSIGNMENT, "ada", minutes=30)
    assert marks(late) == {"ada": 2.5, "bob": 2.0}
    assert "until 2026-03-01 13:00:00 UTC" in extend(
        late, ASSIGNMENT, "bob", until="2026-03-01 14:00 +01:00"
    )
    assert marks(late) == {"ada": 2.5, "bob": 3.0}
    extend(late, ASSIGNMENT, "bob", minutes=0)
    assert marks(late) == {"ada": 2.5, "bob": 2.0}


def test_an_extension_may_come_before_the_submission(late):
    assert "does not know this student" in extend(late, ASSIGNMENT, "ada", minutes=60)
    grade(late)
    assert marks(late) == {"ada": 3.0, "bob": 2.0}


def test_nbgraders_own_autograde_takes_the_plugin_too(late):
    subprocess.run(
        [sys.executable, "-m", "nbgrader", "autograde", ASSIGNMENT],
        cwd=late.root,
        check=True,
        capture_output=True,
    )
    assert marks(late) == {"ada": 2.0, "bob": 2.0}


def test_manual_marks_are_in_every_place(late):
    assert grade(late)["ada"].needs_manual
    with record.gradebook(late) as book:
        essay = book.find_grade("essay", NOTEBOOK, ASSIGNMENT, "ada")
        essay.manual_score, essay.extra_credit, essay.needs_manual_grade = 4.0, 0.5, False
        test = book.find_grade("test-square", NOTEBOOK, ASSIGNMENT, "bob")
        test.manual_score = 1.0
        book.db.commit()
    assert marks(late) == {"ada": 6.5, "bob": 0.0}
    ada = grade(late)["ada"]
    assert (
        not ada.needs_manual
        and ada.cells[f"{NOTEBOOK}/essay"].score == 4.5
        and ada.cells[f"{NOTEBOOK}/essay"].status == "graded"
    )
    assert grade(late, force=True)["ada"].score == 6.5


@pytest.mark.parametrize(
    "text",
    ["c.AssignLatePenalties.plugin_class = ", "raise ValueError('no')"],
    ids=["syntax", "raises"],
)
def test_a_broken_configuration_is_said_before_anything_is_graded(late, text):
    with open(late.root / "nbgrader_config.py", "a") as file:
        file.write(text)
    with pytest.raises(coordinator.Refused, match=r"nbgrader_config\.py.*Mend the file"):
        coordinator.grade(late, coordinator.GradingRequest(ASSIGNMENT))
    assert not any(late.autograded.glob("*"))


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "{",
        *(
            f'{{"warm-up": {{"ada": {entry}}}}}'
            for entry in (
                "{}",
                '{"minutes": "x"}',
                '{"minutes": NaN}',
                '{"minutes": -60}',
                '{"minutes": 1e300}',
                '{"until": "2026-03-01 14:00 +01:00"}',
            )
        ),
    ],
)
def test_a_damaged_table_of_extensions_stops_grading(late, text):
    (late.private() / "extensions.json").write_text(text)
    with pytest.raises(coordinator.Refused, match=r"extensions\.json"):
        coordinator.grade(late, coordinator.GradingRequest(ASSIGNMENT))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "--minutes"),
        ({"minutes": 5, "until": "2026"}, "--until"),
        ({"until": "soon"}, "is no time"),
        ({"minutes": 1e9}, "a year"),
    ],
)
def test_an_extension_that_is_none_is_refused(late, options, said):
    with pytest.raises(extensions.ExtensionError, match=said):
        extend(late, ASSIGNMENT, "ada", **options)
    with pytest.raises(extensions.ExtensionError, match="it has: warm-up"):
        extend(late, "nope", "ada", minutes=5)
