"""`course grade --watch`: what arrives in the exchange is graded and comes back, once, whatever
happens to the watcher.
"""

import os
import select
import signal
import subprocess
import time
from contextlib import contextmanager

import pytest

from nbjudge.course import exchange, feedback, watching
from nbjudge.grading.config.locks import held
from nbjudge.grading.reuse import journal
from nbjudge.grading.run import coordinator
from tests.grading import small
from tests.grading.small import ASSIGNMENT, NOTEBOOK, RIGHT, WRONG

MINUTES = 240  # a bound for a loaded machine, in seconds
pytestmark = pytest.mark.xdist_group("watching")


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    return small.published(tmp_path_factory.mktemp("published"), exchange=True)


@pytest.fixture
def project(original):
    return original[0]


@pytest.fixture
def course(original, tmp_path):
    return small.copied(original[1], tmp_path / "course")


@contextmanager
def watcher(course, *words):
    """The command, and a way to wait until it has said something."""
    process = subprocess.Popen(
        ["course", "grade", ASSIGNMENT, "--watch", *words, "--course", course.root],
        cwd=course.root,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        bufsize=0,
        start_new_session=True,
    )
    heard = []

    def hears(text):
        until = time.monotonic() + MINUTES
        while text not in "".join(heard):
            assert select.select([process.stdout], [], [], until - time.monotonic())[0], heard
            said = os.read(process.stdout.fileno(), 65536).decode()
            assert said, heard
            heard.append(said)

    try:
        yield process, hears
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def hand_in(project, course, folder, student, answer):
    """As JupyterLab does it."""
    home = folder / student
    small.put(project, home / ASSIGNMENT, {"square": answer})
    small.submit(home, course)


def watched(course, grade, say=print):
    return {"course": course, "assignment": ASSIGNMENT, "grade": grade, "say": say}


def pages(course, student):
    return {path.name for path in (course.feedback / student / ASSIGNMENT).glob("*.html")}


def sent(course):
    """The pages in the exchange, by their names, which are hashes."""
    return sorted((course.exchange / course.course_id / "feedback").glob("*.html"))


def test_what_is_handed_in_is_graded_and_comes_back(project, course, tmp_path):
    with watcher(course) as (process, hears):
        hears("watching ")
        hand_in(project, course, tmp_path / "ada", "ada", RIGHT)
        hears("graded ada; feedback sent to 1")
        assert pages(course, "ada") == {f"{NOTEBOOK}.html"} and len(sent(course)) == 1
        refused = subprocess.run(
            ["course", "grade", ASSIGNMENT, "--watch", "--course", course.root],
            cwd=course.root,
            capture_output=True,
            text=True,
        )
        assert (
            refused.returncode == 2 and "another `course grade --watch` watches" in refused.stderr
        )
        os.kill(process.pid, signal.SIGINT)
        assert process.wait(MINUTES) == 130
    # The mark is what `course grade` says.
    report = coordinator.grade(course, coordinator.GradingRequest(ASSIGNMENT))
    assert report.resumed == 1 and report.submissions[0].cells[f"{NOTEBOOK}/test-square"].score == 3


def test_killed_at_any_step_it_goes_on_and_sends_nothing_twice(
    project, course, tmp_path, monkeypatch
):
    for student, answer in (("ada", RIGHT), ("bob", WRONG)):
        hand_in(project, course, tmp_path / student, student, answer)
    graded, returned = [], []

    def grade(students):
        report = coordinator.grade(
            course, coordinator.GradingRequest(ASSIGNMENT, students=students)
        )
        graded.append((sorted(students), report.resumed))
        return report

    send = feedback.return_feedback

    def sends(course, assignment, names):
        returned.append(sorted(names))
        return send(course, assignment, names)

    monkeypatch.setattr(feedback, "return_feedback", sends)

    class Killed(BaseException):
        pass

    def killed(*_given, **_named):
        raise Killed

    for step in ("_collected", "grade", "_write", "_send"):
        one = watching.Watch(**watched(course, grade))
        with monkeypatch.context() as ends:
            ends.setattr(one, step, killed)
            with pytest.raises(Killed):
                one.batch()
    assert returned == []
    watching.Watch(**watched(course, grade)).batch()
    watching.Watch(**watched(course, grade)).batch()
    assert returned == [["ada", "bob"]] and len(sent(course)) == 2
    # Graded once: every other turn took both out of the journal.
    assert [resumed for _, resumed in graded] == [0, *[2] * (len(graded) - 1)]


def test_what_fails_waits_and_is_tried_again(project, course, tmp_path):
    hand_in(project, course, tmp_path / "ada", "ada", RIGHT)
    said = []
    full = [OSError(28, "No space left on device"), None]

    def grade(students):
        if problem := full.pop(0):
            raise problem
        return coordinator.grade(course, coordinator.GradingRequest(ASSIGNMENT, students=students))

    one = watching.Watch(**watched(course, grade, said.append))
    one.batch()
    assert "No space left on device" in said[0] and sent(course) == []
    one.batch()
    assert said[-1].startswith("graded ada") and len(sent(course)) == 1


def test_killed_in_the_middle_of_many_it_loses_none_and_sends_none_twice(project, course, tmp_path):
    answers = {f"s{number}": (RIGHT, WRONG)[number % 2] for number in range(6)}
    with watcher(course, "--jobs", "1") as (process, hears):
        hears("watching ")
        for student, answer in answers.items():
            hand_in(project, course, tmp_path / student, student, answer)
        until = time.monotonic() + MINUTES
        while not list((course.root / ".nbjudge" / "journal").rglob("entry.json")):
            assert time.monotonic() < until and process.poll() is None
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGKILL)
    said = []

    def grade(students):
        return coordinator.grade(course, coordinator.GradingRequest(ASSIGNMENT, students=students))

    watching.Watch(**watched(course, grade, said.append)).batch()
    graded = [
        student
        for line in said
        for student in line.removeprefix("graded ").partition(";")[0].split(", ")
    ]
    assert len(graded) == len(set(graded)) <= len(answers)
    assert len(sent(course)) == len(answers)
    report = coordinator.grade(course, coordinator.GradingRequest(ASSIGNMENT))
    assert report.resumed == len(answers)
    marks = {one.student: one.cells[f"{NOTEBOOK}/test-square"].score for one in report.submissions}
    assert marks == {student: 3 * (answer == RIGHT) for student, answer in answers.items()}


def test_of_many_the_first_do_not_wait_for_the_last(project, course, tmp_path, monkeypatch):
    monkeypatch.setattr(watching, "AT_ONCE", 2)
    order = ["dan", "ada", "cid", "ben"]
    for student in order:
        hand_in(project, course, tmp_path / student, student, RIGHT)
    graded = []

    def grade(students):
        graded.append((list(students), len(sent(course))))
        if len(graded) == 1:
            hand_in(project, course, tmp_path / "eve", "eve", RIGHT)
        return coordinator.grade(course, coordinator.GradingRequest(ASSIGNMENT, students=students))

    one = watching.Watch(**watched(course, grade))
    one.batch()
    assert [len(students) for students, _ in graded] == [2, 2, 1] and graded[2][0] == ["eve"]
    assert [pages for _, pages in graded] == [0, 2, 4] and len(sent(course)) == 5


def test_a_disk_that_is_full_is_said_once_and_costs_nobody_anything(
    project, course, tmp_path, monkeypatch
):
    for student in ("ada", "bob", "cid", "dan", "eve"):
        hand_in(project, course, tmp_path / student, student, RIGHT)
    said = []

    def grade(students):
        return coordinator.grade(course, coordinator.GradingRequest(ASSIGNMENT, students=students))

    one = watching.Watch(**watched(course, grade, said.append))
    with monkeypatch.context() as full:

        def no_space(*_given, **_named):
            raise OSError(28, "No space left on device")

        full.setattr(journal.Journal, "write", no_space)
        one.batch()
        one.batch()
    [line] = said
    assert "ada, bob, cid and 2 more" in line and "No space left on device" in line
    assert sent(course) == []
    one.batch()
    assert said[-1].startswith("graded ") and len(sent(course)) == 5


def test_while_another_command_grades_it_waits_its_turn(project, course, tmp_path):
    hand_in(project, course, tmp_path / "ada", "ada", RIGHT)
    said = []

    def grade(students):
        return coordinator.grade(course, coordinator.GradingRequest(ASSIGNMENT, students=students))

    one = watching.Watch(**watched(course, grade, said.append))
    with held(course.private() / "lock", RuntimeError("held")):
        one.batch()
    assert "another `course grade` is at work" in said[0]
    one.batch()
    assert said[-1].startswith("graded ada")


@pytest.mark.parametrize(("shows", "says"), [("items", "<td>not earned</td>"), ("number", None)])
def test_an_instructor_may_have_students_hear_less(project, course, tmp_path, shows, says):
    hand_in(project, course, tmp_path / "bob", "bob", WRONG)

    def grade(students):
        return coordinator.grade(course, coordinator.GradingRequest(ASSIGNMENT, students=students))

    watching.Watch(**watched(course, grade), shows=shows).batch()
    [page] = sent(course)
    text = page.read_text()
    assert "0 of 2 things that give points are earned" in text and "return x + x" not in text
    assert ("<td>" in text) == (says is not None) and (says is None or says in text)


def test_a_second_submission_takes_the_place_of_the_first(project, course, tmp_path):
    def grade(students):
        return coordinator.grade(course, coordinator.GradingRequest(ASSIGNMENT, students=students))

    said = []
    one = watching.Watch(**watched(course, grade, said.append))
    for number, answer in enumerate((WRONG, RIGHT)):
        hand_in(project, course, tmp_path / f"bob{number}", "bob", answer)
        one.batch()
    assert sum(line.startswith("graded bob") for line in said) == 2
    assert exchange.collect_from_exchange(course, ASSIGNMENT).students == ["bob"]
    report = coordinator.grade(course, coordinator.GradingRequest(ASSIGNMENT))
    assert report.submissions[0].cells[f"{NOTEBOOK}/test-square"].score == 3
