"""The demo's class, graded end to end: real notebooks, real kernels, real boxes, nbgrader's own
gradebook.
"""

import csv
import io
import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from nbgrader.apps.api import NbGraderAPI
from nbgrader.coursedir import CourseDirectory
from students import CLASS, deserved, hand_in
from typer.testing import CliRunner

from nbjudge import cli, exercises
from nbjudge.course import config
from nbjudge.course import report as reports
from nbjudge.course.feedback import feedback
from nbjudge.course.publish import publish
from nbjudge.grading.config.folders import Course, Project
from nbjudge.grading.execution.runner import Budget
from nbjudge.grading.gradebook import record
from nbjudge.grading.run import coordinator
from tests.grading import small

ROOT = Path(__file__).resolve().parents[2]

ASSIGNMENT = "day-50"
# One of the class prints 500 MB, which takes time; another one's endless loop computes until its own
# is over.
BUDGET = Budget(cell=15, case=30, notebook=150)
# The class is graded on the two labs that its members answer; the others have their turn in
# `test_every_lab`.
LABS = {name: exercises.get(name) for name in ("inspect", "dropout")}
TOTAL = sum(exercise.points for exercise in LABS.values())
UNGRADABLE = {"ivo-truncated-file": "dropout", "pat-link": "dropout"}

pytestmark = pytest.mark.xdist_group("class")


@pytest.fixture(scope="module")
def published(project, tmp_path_factory):
    """Published once, and copied for each test."""
    course = Course.at(tmp_path_factory.mktemp("published") / "course")
    publish(course, project, [ASSIGNMENT])
    return project, course


def set_up(published: tuple[Project, Course], folder: Path, students) -> Course:
    project, original = published
    course = small.copied(original, folder)
    for student in students:
        hand_in(
            student,
            project.labs / ASSIGNMENT,
            project.solutions / ASSIGNMENT,
            course.submitted / student.name / ASSIGNMENT,
        )
    return course


def some(*names):
    return [student for student in CLASS if student.name in names]


@pytest.fixture(scope="module")
def graded(published, tmp_path_factory):
    course = set_up(published, tmp_path_factory.mktemp("class") / "course", CLASS)
    return course, coordinator.grade(
        course, coordinator.GradingRequest(ASSIGNMENT, seed=50, jobs=2, budget=BUDGET)
    )


def result_of(report, name):
    return next(result for result in report.submissions if result.student == name)


@pytest.mark.parametrize("student", CLASS, ids=lambda student: student.name)
def test_everybody_gets_the_marks_that_they_deserve(graded, student):
    result = result_of(graded[1], student.name)
    for lab, exercise in LABS.items():
        cell = result.cells[f"{lab}/{exercise.grade_id}"]
        assert cell.score == pytest.approx(
            deserved(student, lab) * exercise.points, abs=0.005 * exercise.points
        ), (lab, cell)
        assert result.notebooks[lab].status == (
            "ungradable" if UNGRADABLE.get(student.name) == lab else "graded"
        )
    assert bool(result.tampered) == student.flagged, result.tampered
    assert result.status == "graded"


def test_lost_marks_are_explained(graded):
    for result in graded[1].submissions:
        for key, cell in result.cells.items():
            if (
                cell.score < cell.max_score
                and result.notebooks[key.split("/")[0]].status == "graded"
            ):
                assert cell.rung and cell.found, (result.student, key)


def test_the_report_has_the_documented_form(graded):
    report = json.loads("".join(graded[1].json_text()))
    assert report.keys() == {"assignment", "seed_id", "submissions"} and "50" not in (
        report["seed_id"],
    )
    entry = report["submissions"][0]
    documented = [
        "student", "status", "reason", "score", "max_score", "needs_manual", "seconds", "tampered", "notebooks", "cells",
    ]  # fmt: skip
    of_a_cell = [
        "status", "score", "max_score", "rung", "case", "expected", "found", "cause", "read", "misconception",
    ]  # fmt: skip
    # More may be added, and nothing taken away.
    assert [key for key in entry if key in documented] == documented
    cell = entry["cells"]["dropout/check-dropout"]
    assert [key for key in cell if key in of_a_cell] == of_a_cell


def test_nbgraders_own_export_reads_the_same_scores(graded, tmp_path):
    course, report = graded
    target = tmp_path / "grades.csv"
    command = ["nbgrader", "export", "--to", str(target), "--db", course.gradebook_url]
    subprocess.run(command, cwd=course.root, check=True, capture_output=True)
    rows = {
        row["student_id"]: float(row["score"])
        for row in csv.DictReader(io.StringIO(target.read_text()))
    }
    assert rows == pytest.approx({result.student: result.score for result in report.submissions})


def test_feedback_shows_the_ladder_and_nothing_live(graded):
    course, _ = graded
    pages = feedback(course, ASSIGNMENT)
    assert len(pages) == len(LABS) * len(CLASS)
    page = (course.feedback / "dan-first-opset" / ASSIGNMENT / "dropout.html").read_text()
    assert "Likely cause" in page
    # JupyterLab opens the notebook at the heading.
    assert re.search(r'/lab/tree/notebooks/day-50/[\w-]+\.ipynb#[\w%-]+"', page)
    truncated = (course.feedback / "ivo-truncated-file" / ASSIGNMENT / "dropout.html").read_text()
    assert "could not be graded" in truncated


def test_the_hidden_inputs_and_seed_stay_hidden(graded):
    course, _ = graded
    assert (course.root / ".nbjudge").stat().st_mode & 0o077 == 0
    recorded = (course.autograded / "olga-reader" / ASSIGNMENT / "inspect.ipynb").read_text()
    assert (
        "gradebook" not in recorded.replace('path.endswith(\\"gradebook.db\\")', "")
        and "sqlite_master" not in recorded
    )


def test_the_report_says_what_the_class_got_wrong(graded, tmp_path):
    course, marked = graded
    target, page = tmp_path / "report.json", tmp_path / "report.html"
    command = [
        "course",
        "report",
        ASSIGNMENT,
        "--course",
        course.root,
        "--html",
        page,
        "--json",
        target,
    ]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    dropout = next(
        item for item in json.loads(target.read_text())["items"] if item["name"] == "dropout"
    )
    cells = [result.cells["dropout/check-dropout"] for result in marked.submissions]
    tried = [
        cell
        for cell in cells
        if cell.misconception == "not-defined"  # its cell ended with an error
        or (cell.rung != "exists" and not (cell.score == 0 and not cell.rung))
    ]
    assert dropout["tried"] == len(tried) and dropout["full"] == sum(
        cell.score == 4 for cell in tried
    )
    assert dropout["rungs"] == Counter(cell.rung for cell in tried if cell.rung)
    assert "structure" in done.stdout and "<svg" in page.read_text()
    for text in (done.stdout, page.read_text(), target.read_text()):
        assert not any(student.name in text for student in CLASS)
    named = reports.of(course, ASSIGNMENT, names=True)
    alike = {pair.students: {one.notebook for one in pair.notebooks} for pair in named.pairs}
    same = [set(group.students) for group in named.groups if group.notebook == "dropout"]
    same += [set(students) for students, notebooks in alike.items() if notebooks == {"dropout"}]
    assert any({"ada-perfect", "lou-500-megabytes"} <= students for students in same)
    # Her stored answer is his without what enters subgraphs. The third way has no line of another.
    assert any({"ben-other-way", "eve-main-graph-only"} <= students for students in same)
    assert not any("cleo-third-way" in students for students in alike)


def test_grading_again_takes_everything_from_the_journal(graded):
    course, report = graded
    again = coordinator.grade(
        course, coordinator.GradingRequest(ASSIGNMENT, seed=50, budget=BUDGET)
    )
    assert again.resumed == len(CLASS)
    assert [result.to_json() for result in again.submissions] == [
        result.to_json() for result in report.submissions
    ]


def test_a_killed_run_goes_on_where_it_stopped(published, tmp_path):
    students = some("ada-perfect", "gus-empty", "dan-first-opset")
    course = set_up(published, tmp_path / "course", students)
    script = (
        "import os, signal, sys\n"
        "from nbjudge.boxes import selftest\n"
        "from nbjudge.grading.run import coordinator\n"
        "from nbjudge.grading.submission import canary\n"
        "from nbjudge.grading.config.folders import Course\n"
        # They come before grading, and what is killed is grading itself.
        "selftest.require_sandbox = lambda *hidden: None\n"
        "canary.prove = lambda *anything: None\n"
        "def watch(event, count, result):\n"
        "    if event == 'done': os.kill(os.getpid(), signal.SIGKILL)\n"
        "coordinator.grade(Course.at(sys.argv[1]), coordinator.GradingRequest('day-50', seed=50, jobs=1), watch)\n"
    )
    killed = subprocess.run([sys.executable, "-c", script, str(course.root)], capture_output=True)
    assert killed.returncode == -9, killed.stderr.decode()
    report = coordinator.grade(course, coordinator.GradingRequest(ASSIGNMENT, seed=50, jobs=1))
    assert report.resumed == 1 and len(report.submissions) == 3
    for result in report.submissions:
        assert record.submission_score(course, ASSIGNMENT, result.student) == pytest.approx(
            result.score
        )


def test_a_changed_submission_replaces_stale_scores(published, tmp_path):
    (ada,) = some("ada-perfect")
    course = set_up(published, tmp_path / "course", [ada])
    request = coordinator.GradingRequest(ASSIGNMENT, seed=50)
    assert coordinator.grade(course, request).submissions[0].score == TOTAL
    (course.submitted / ada.name / ASSIGNMENT / "inspect.ipynb").unlink()
    result = coordinator.grade(course, request).submissions[0]
    assert (
        result.score == TOTAL - LABS["inspect"].points
        and "not in the submission" in result.notebooks["inspect"].reason
    )
    assert record.submission_score(course, ASSIGNMENT, ada.name) == result.score
    recorded = json.loads((course.autograded / ada.name / ASSIGNMENT / "inspect.ipynb").read_text())
    assert "raise NotImplementedError" in json.dumps(recorded)


def test_neither_another_name_nor_an_exit_costs_anything(published, tmp_path):
    (ada,) = some("ada-perfect")
    course = set_up(published, tmp_path / "course", [ada])
    handed_in = course.submitted / ada.name / ASSIGNMENT
    notebook = json.loads((handed_in / "inspect.ipynb").read_text())
    leave = {
        "cell_type": "code",
        "id": "mine",
        "metadata": {},
        "source": "quit()",
        "outputs": [],
        "execution_count": None,
    }
    notebook["cells"].insert(1, leave)
    (handed_in / "inspect.ipynb").unlink()
    (handed_in / "inspect (2).ipynb").write_text(json.dumps(notebook))
    result = coordinator.grade(course, coordinator.GradingRequest(ASSIGNMENT, seed=50)).submissions[
        0
    ]
    reason = result.notebooks["inspect"].reason
    assert result.score == TOTAL and "inspect (2).ipynb" in reason and "exit() or quit()" in reason


def test_another_file_with_the_cells_of_the_graded_one_is_named(published, tmp_path):
    (ada,) = some("ada-perfect")
    course = set_up(published, tmp_path / "course", [ada])
    handed_in = course.submitted / ada.name / ASSIGNMENT
    (handed_in / "inspect.ipynb").rename(handed_in / "inspect-final.ipynb")
    shutil.copy(published[0].labs / ASSIGNMENT / "inspect.ipynb", handed_in)
    request = coordinator.GradingRequest(ASSIGNMENT, seed=50)
    [result] = coordinator.grade(course, request).submissions
    assert result.score == TOTAL - LABS["inspect"].points
    assert "inspect-final.ipynb holds its cells, too" in result.notebooks["inspect"].reason


def test_a_fault_of_the_harness_is_never_a_mark(published, tmp_path, monkeypatch):
    from nbjudge.grading.execution.checker import CheckFault
    from nbjudge.grading.submission import engine

    students = some("ada-perfect", "gus-empty")
    course = set_up(published, tmp_path / "course", students)
    judge = engine.judge

    def broken(exercise, cases, answers, *rest, **how):
        if exercise == "dropout" and answers[cases[0].name].outcome == "returned":
            raise CheckFault("the checker is broken")
        return judge(exercise, cases, answers, *rest, **how)

    monkeypatch.setattr(engine, "judge", broken)
    report = coordinator.grade(course, coordinator.GradingRequest(ASSIGNMENT, seed=50))
    ada, gus = report.submissions
    assert report.exit_code == 3
    assert (ada.status, ada.score) == ("ungraded", None) and "checker is broken" in ada.reason
    assert gus.status == "graded"
    assert not (
        course.autograded / ada.student
    ).exists() and ada.student not in record.known_students(course)
    monkeypatch.undo()
    assert [
        result.score
        for result in coordinator.grade(
            course, coordinator.GradingRequest(ASSIGNMENT, seed=50)
        ).submissions
    ] == [TOTAL, 0.0]


def test_without_a_sandbox_grading_refuses(published, tmp_path):
    (ada,) = some("ada-perfect")
    course = set_up(published, tmp_path / "course", [ada])
    # The programs of the sandbox are looked for in the system's own folders; here there are none in
    # them.
    without = f"from nbjudge import cli\nfrom nbjudge.boxes import launch\nlaunch._PATH = {str(tmp_path)!r}\ncli.main()"
    command = [sys.executable, "-c", without, "grade", ASSIGNMENT, "--course", str(course.root)]
    refused = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert refused.returncode == 2
    assert (
        "bubblewrap" in refused.stderr
        and "apt" in refused.stderr
        and "Traceback" not in refused.stderr
    )
    assert not any(course.autograded.glob("*"))


def test_the_command_publishes_into_a_fresh_folder_and_names_new_students(
    project, tmp_path, monkeypatch
):
    (ada,) = some("ada-perfect")
    hand_in(
        ada,
        project.labs / ASSIGNMENT,
        project.solutions / ASSIGNMENT,
        tmp_path / "in" / ada.name / ASSIGNMENT,
    )
    target = tmp_path / "out.json"
    words = ["grade", ASSIGNMENT, "--course", tmp_path / "fresh", "--submitted", tmp_path / "in"]
    monkeypatch.chdir(project.root)
    done = CliRunner().invoke(cli.app, [*map(str, words), "--seed", "50", "--json", str(target)])
    assert done.exit_code == 0, done.output
    assert "added to the gradebook: ada-perfect" in done.stdout
    assert json.loads(target.read_text())["submissions"][0]["score"] == TOTAL


def test_formgraders_button_grades_through_the_same_engine(published, tmp_path):
    (eve,) = some("eve-main-graph-only")
    course = set_up(published, tmp_path / "course", [eve])
    settings = config.config(course)
    button = NbGraderAPI(CourseDirectory(config=settings), config=settings)
    done = button.autograde(ASSIGNMENT, eve.name)
    assert done["success"], done
    score = record.submission_score(course, ASSIGNMENT, eve.name)
    assert score == pytest.approx(
        sum(deserved(eve, lab) * exercise.points for lab, exercise in LABS.items()), abs=0.04
    )


# That such a case is graded on request alone, tests/test_exercise_dropout.py shows without boxes; what
# is left for the boxes is its size.
@pytest.mark.slow
def test_pretrained_weights_are_graded_on_request(published, tmp_path, minilm_cache, monkeypatch):
    """MiniLM's nineteen Dropouts, 90 MB, through the boxes."""
    monkeypatch.setenv("FORMATLAB_CACHE", str(minilm_cache))
    students = some("ada-perfect", "gus-empty")
    course = set_up(published, tmp_path / "course", students)
    report = coordinator.grade(
        course, coordinator.GradingRequest(ASSIGNMENT, seed=50, jobs=2, pretrained=True)
    )
    assert [result.cells["dropout/check-dropout"].score for result in report.submissions] == [
        4.0,
        0.0,
    ]
    again = coordinator.grade(
        course, coordinator.GradingRequest(ASSIGNMENT, seed=50, students=["gus-empty"])
    )
    assert again.resumed == 0, "with and without the pretrained cases are two gradings"
