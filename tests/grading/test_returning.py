"""What comes back: feedback in the exchange, late penalties, extensions, and final marks that are
the same everywhere.
"""

import csv
import io
import json
import re
import shutil
import subprocess
import sys

import pytest
import requests
from nbgrader.utils import parse_utc
from rich.console import Console

from nbjudge.course import exchange, timed
from nbjudge.course import feedback as pages
from nbjudge.course.export import export
from nbjudge.course.extend import extend
from nbjudge.course.feedback import feedback, return_feedback
from nbjudge.course.timed import LEFT_OUT
from nbjudge.grading.gradebook import extensions, record
from nbjudge.grading.run import coordinator, table
from tests import servers
from tests.grading import small
from tests.grading.small import ASSIGNMENT, NOTEBOOK, RIGHT, WRONG

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


def test_a_mark_that_nobody_gave_is_no_zero_on_the_page_and_the_command_says_so(original, sent):
    project, _ = original
    course, _ = sent
    small.hand_in(project, course, "cy", {"square": RIGHT, "essay": "Because it is even."})
    grade(course)
    for options in ([], ["--send"]):
        done = course_command(course, "feedback", ASSIGNMENT, *options)
        assert done.returncode == 0, done.stderr
        assert "1 mark of 1 student is still to be given by a person" in done.stderr + done.stdout
    page = " ".join((course.feedback / "cy" / ASSIGNMENT / f"{NOTEBOOK}.html").read_text().split())
    assert page.count("Score: not marked yet / 5.0") == 2 and "0.0 / 5.0" not in page
    assert f"{NOTEBOOK} (Score: 3.0 so far / 8.0)" in page
    assert "Not marked yet: essay (5 points)" in page
    with record.gradebook(course) as book:
        book.find_grade("essay", NOTEBOOK, ASSIGNMENT, "cy").manual_score = 4.0
        book.db.commit()
    done = course_command(course, "feedback", ASSIGNMENT)
    assert "to be given" not in done.stderr + done.stdout
    page = " ".join((course.feedback / "cy" / ASSIGNMENT / f"{NOTEBOOK}.html").read_text().split())
    assert page.count("Score: 4.0 / 5.0") == 2 and "yet" not in page and "Score: 7.0 / 8.0" in page


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
    from nbjudge.grading.intake import intake

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
        for row in csv.DictReader((course.root / "grades.csv").open(encoding="utf-8-sig"))
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


ZERO = "\nc.LateSubmissionPlugin.penalty_method = 'zero'\n"
TIMES = "handed in 2026-03-01 13:00:00 UTC, due 2026-03-01 12:00:00 UTC"


def zero(course):
    """The plugin of nbgrader's own that takes all of what is late."""
    path = course.root / "nbgrader_config.py"
    path.write_text(path.read_text().replace("late_marks.Hourly", ZERO_CLASS) + ZERO)


ZERO_CLASS = "nbgrader.plugins.LateSubmissionPlugin"


def set_due(course, when):
    with record.gradebook(course) as book:
        book.find_assignment(ASSIGNMENT).duedate = parse_utc(when)
        book.db.commit()


def mark_by_hand(course, student, cell, score):
    with record.gradebook(course) as book:
        found = book.find_grade(cell, NOTEBOOK, ASSIGNMENT, student)
        found.manual_score, found.needs_manual_grade = score, False
        book.db.commit()


def in_the_terminal(course, *words, code=0):
    """What a command writes: standard output, and standard error."""
    done = course_command(course, *words)
    assert done.returncode == code, done.stderr
    return " ".join(done.stdout.split()), " ".join(done.stderr.split())


def table_of(course):
    """The class's table, on a screen that is wide enough for it."""
    request = coordinator.GradingRequest(ASSIGNMENT, seed=1)
    screen = io.StringIO()
    table.show(coordinator.grade(course, request), Console(file=screen, width=1000))
    return " ".join(screen.getvalue().split())


def page_of(course, student):
    """The text of a student's page, without tags."""
    page = course.feedback / student / ASSIGNMENT / f"{NOTEBOOK}.html"
    return " ".join(re.sub("<[^>]+>", " ", page.read_text().split("<body", 1)[1]).split())


def test_a_late_penalty_is_said_wherever_the_mark_is(late):
    """Three points, and none of them is left: no place says the 0 without the reason."""
    zero(late)
    said, running = in_the_terminal(late, "grade", ASSIGNMENT, "--json", late.root / "r.json")
    assert "late: -3 (handed in 2026-03-01 13:00:00 UTC, due" in said
    assert "late: -3 ada, -3 bob (6 points of 2 submissions" in said
    assert re.search(r"ada graded 0 / 8, late: -3, and marks by hand to come", running)
    ada = json.loads((late.root / "r.json").read_text())["submissions"][0]
    assert ada["reason"] == f"late: -3 ({TIMES})" and ada["settled"]["seconds_late"] == 3600
    assert ada["settled"]["penalties"] == {NOTEBOOK: 3.0}
    _, again = in_the_terminal(late, "grade", ASSIGNMENT)
    assert "ada graded 3 / 8, before late penalties and marks by hand" in again
    told, _ = in_the_terminal(late, "report", ASSIGNMENT, "--html", late.root / "r.html")
    for text in (told, (late.root / "r.html").read_text()):
        assert "which took 6 points from 2 students" in text and f"late: -3 ({TIMES})" in text
    in_the_terminal(late, "feedback", ASSIGNMENT)
    assert "Late: -3 points" in page_of(late, "ada") and TIMES in page_of(late, "ada")
    _, noticed = in_the_terminal(late, "export", late.root / "canvas.csv", "--to", "canvas")
    assert "late penalties are taken off 2 of these marks: -3 ada, -3 bob" in noticed
    in_the_terminal(late, "export", late.root / "grades.csv")
    row, _ = csv.DictReader((late.root / "grades.csv").open(encoding="utf-8-sig"))
    assert (row["timestamp"], row["due"]) == (LATE, DUE) and row["why"].startswith("late: -3 (")


@pytest.mark.parametrize("place", ["feedback", "export", "report"])
def test_a_mark_by_hand_is_late_too(late, place):
    """nbgrader works a penalty out when it grades; what people give afterwards would escape it."""
    zero(late)
    grade(late)
    mark_by_hand(late, "ada", "essay", 4.0)
    if place == "feedback":
        said, _ = in_the_terminal(late, "feedback", ASSIGNMENT, "--student", "ada")
        assert "ada -3 before, -7 now" in said and "Score: 0.0 / 8.0" in page_of(late, "ada")
    elif place == "export":
        _, said = in_the_terminal(late, "export", late.root / "grades.csv", "--to", "moodle")
        assert "worked out anew" in said and "ada -3 before, -7 now" in said
        row, _ = csv.DictReader((late.root / "grades.csv").open(encoding="utf-8-sig"))
        assert float(row[ASSIGNMENT]) == 0.0
    else:
        before = late.gradebook.read_bytes()
        said, _ = in_the_terminal(late, "report", ASSIGNMENT)
        assert "mean 0 of 8" in said and "took 10 points from 2 students" in said
        assert late.gradebook.read_bytes() == before, "a report writes nothing"


def test_a_penalty_that_goes_away_says_so(late):
    zero(late)
    grade(late)
    said = extend(late, ASSIGNMENT, "ada", minutes=90)
    assert "late penalty: ada -3 before, nothing now" in said
    assert "late penalty: ada nothing before, -3 now" in extend(late, ASSIGNMENT, "ada", minutes=0)
    extend(late, ASSIGNMENT, "ada", minutes=90)
    said = table_of(late)
    assert f"in time by an extension ({TIMES}, extended to 2026-03-01 13:30:00 UTC)" in said
    set_due(late, "2026-03-02 12:00:00 UTC")
    said = table_of(late)
    assert "changed since the last run" in said and "bob -3 before, nothing now" in said
    assert "late:" not in said
    feedback(late, ASSIGNMENT)
    assert "Late" not in page_of(late, "bob")


def test_late_without_a_plugin_that_takes_anything_is_said_and_costs_nothing(late):
    path = late.root / "nbgrader_config.py"
    path.write_text(path.read_text().replace("late_marks.Hourly", ZERO_CLASS))
    said = table_of(late)
    assert f"late without a penalty ({TIMES})" in said and "late: -" not in said
    assert marks(late) == {"ada": 3.0, "bob": 3.0}


def test_a_persons_mark_in_place_of_an_automatic_one_is_said(late):
    grade(late)
    mark_by_hand(late, "ada", "test-square", 1.0)
    mark_by_hand(late, "ada", "essay", 5.0)
    told, _ = in_the_terminal(late, "report", ASSIGNMENT, "--names")
    feedback(late, ASSIGNMENT)
    for text in (table_of(late), told, page_of(late, "ada")):
        assert "1 by hand in place of 3" in text


def test_another_mark_than_in_the_run_before_has_its_reason(late, original):
    project, _ = original
    grade(late)
    small.hand_in(project, late, "ada", {"square": WRONG, "essay": "Because."}, LATE)
    assert re.search("automatic points before: 3 .first: ", table_of(late))
    assert "automatic points before" not in table_of(late), "nothing has changed since"


def test_what_was_found_about_given_cells_is_in_the_table_and_on_the_page(late):
    path = late.submitted / "ada" / ASSIGNMENT / f"{NOTEBOOK}.ipynb"
    document = json.loads(path.read_text())
    copy = next(cell for cell in document["cells"] if "square" in json.dumps(cell["metadata"]))
    document["cells"].insert(document["cells"].index(copy) + 1, copy)
    path.write_text(json.dumps(document))
    said = table_of(late)
    feedback(late, ASSIGNMENT)
    (remark, *_) = grade(late)["ada"].remarks
    assert remark in said and remark.removeprefix(f"{NOTEBOOK}: ") in page_of(late, "ada")
    assert remark not in page_of(late, "bob")


def test_export_names_the_marks_that_are_not_complete(late, original):
    project, _ = original
    small.hand_in(project, late, "eve", {"square": RIGHT, "essay": "Yes."}, LATE)
    (late.submitted / "eve" / ASSIGNMENT / f"{NOTEBOOK}.ipynb").write_text("no JSON")
    grade(late)
    mark_by_hand(late, "bob", "essay", 5.0)
    small.hand_in(project, late, "bob", {"square": RIGHT}, "2026-03-01 14:00:00 UTC")
    small.hand_in(project, late, "fay", {"square": RIGHT}, LATE)
    with record.gradebook(late) as book:
        for name in ("fay", *(f"zoe-{number}" for number in range(9))):
            book.add_student(name)
    for to in ("csv", "canvas", "moodle"):
        _, said = in_the_terminal(late, "export", late.root / "grades.csv", "--to", to)
        for expected in (
            "waiting for a person, so that points are missing: 1 of 13 marks (ada). Type `course lab --instructor`",
            "came in at another time: 1 of 13 marks (bob). Type `course grade warm-up`",
            "0 points for a notebook that could not be graded: 1 of 13 marks (eve). Type `course grade warm-up`",
            "handed in and not graded, so that the cell is empty: 1 of 13 marks (fay). Type `course grade warm-up`",
            "no submission, so that the cell is empty: 9 of 13 marks (zoe-0, zoe-1, zoe-2, zoe-3, zoe-4, zoe-5 and 3 more)",
        ):
            assert expected in said
    export(late, "csv", late.root / "grades.csv")
    rows = csv.DictReader((late.root / "grades.csv").open(encoding="utf-8-sig"))
    states = {row["student_id"]: row["state"] for row in rows}
    assert states["ada"] == "waits for a person" and states["fay"] == "handed in, not graded"


def test_export_says_nothing_of_marks_that_are_complete(late):
    grade(late)
    for student in ("ada", "bob"):
        extend(late, ASSIGNMENT, student, minutes=60)
        mark_by_hand(late, student, "essay", 5.0)
    _, said = in_the_terminal(late, "export", late.root / "grades.csv", "--to", "canvas")
    assert said == ""


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
