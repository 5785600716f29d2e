"""Answers that a person marks: the rubric stands beside the answer in formgrader, and nowhere that
a student looks.
"""

import json
import re
import shutil
import subprocess
import sys
import urllib.request
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from nbjudge.course.feedback import feedback
from nbjudge.course.publish import publish
from nbjudge.course.release import release
from nbjudge.grading.config.folders import Course, Project
from nbjudge.grading.gradebook import record
from nbjudge.grading.published import rubric
from nbjudge.grading.run import coordinator
from tests import servers
from tests.chromium import CHROMIUM, FLAGS, MINUTES
from tests.grading import small

ROOT = Path(__file__).resolve().parents[2]
ASSIGNMENT, ANSWER = "lab-7-01", "answer-dynamic"
FIRST = "answer-folding"
# Headings with the names of the answers behind this one, by which formgrader finds their fields.
HEADINGS = "Because.\n\n# answer-dynamic\n\n# answer-precision\n\n# answer-torchscript"
pytestmark = pytest.mark.xdist_group("rubric")


def release_of(root: Path) -> Project:
    """A checkout with the notebook of short answers alone."""
    (root / "pyproject.toml").touch()
    (root / "solutions" / ASSIGNMENT).mkdir(parents=True)
    shutil.copy(
        ROOT / "solutions" / ASSIGNMENT / "interview.ipynb", root / "solutions" / ASSIGNMENT
    )
    release(Project(root))
    return Project(root)


def hand_in(project: Project, course: Course, student: str, answers: dict[str, str]) -> None:
    """The released notebook, with answers by grade_id, and a note beside them if there are any."""
    notebook = json.loads((project.labs / ASSIGNMENT / "interview.ipynb").read_text())
    for cell in notebook["cells"]:
        cell["source"] = answers.get(cell["metadata"]["nbgrader"]["grade_id"], cell["source"])
    cell = {
        "cell_type": "markdown",
        "id": "own",
        "metadata": {"nbjudge": {"rubric": True}, "tags": ["x"]},
        "source": "a note of my own",
    }
    if answers:
        notebook["cells"].append(cell)
    folder = course.submitted / student / ASSIGNMENT
    folder.mkdir(parents=True)
    (folder / "interview.ipynb").write_text(json.dumps(notebook))


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    return release_of(tmp_path_factory.mktemp("checkout"))


@pytest.fixture(scope="module")
def graded(project, tmp_path_factory):
    course = Course.at(tmp_path_factory.mktemp("course"))
    publish(course, project, [ASSIGNMENT], exchange=False)
    hand_in(project, course, "ada", {ANSWER: "The key names no input, so the axis is fixed."})
    hand_in(project, course, "eve", {})
    hand_in(project, course, "mallory", {FIRST: HEADINGS})
    report = coordinator.grade(course, coordinator.GradingRequest(ASSIGNMENT, seed=1))
    return course, {result.student: result for result in report.submissions}


def rubrics_of(course: Course, student: str) -> list[str]:
    path = course.autograded / student / ASSIGNMENT / "interview.ipynb"
    return [
        "".join(cell["source"])
        for cell in json.loads(path.read_text())["cells"]
        if rubric.is_rubric(cell)
    ]


def test_the_students_notebook_has_questions_and_no_answers(project):
    text = (project.labs / ASSIGNMENT / "interview.ipynb").read_text()
    solution = (project.solutions / ASSIGNMENT / "interview.ipynb").read_text()
    assert text.count("YOUR ANSWER HERE") == solution.count("**Samples**") == 4
    assert "What a full answer says" not in text
    # Neither in an answer's cell nor in one beside it.
    assert not re.search(r"\bsample", text, re.IGNORECASE) and "1 point. " not in text


def test_every_answer_has_criteria_and_a_sample_for_each_mark(project):
    for cell in json.loads((project.solutions / ASSIGNMENT / "interview.ipynb").read_text())[
        "cells"
    ]:
        meta, text = cell["metadata"]["nbgrader"], "".join(cell["source"])
        if meta["grade"]:
            assert meta["solution"] and meta["points"] == 1
            samples = re.findall(r"^- \*([\d.]+) points?\*: \"", text, flags=re.M)
            assert samples == ["1", "0.5", "0"]
            assert "**Points.** 0.5:" in text and text.count("0.25: ") == 2


def test_a_written_answer_waits_for_a_person_and_an_untouched_one_is_zero(graded):
    course, results = graded
    assert (
        results["ada"].needs_manual
        and results["ada"].cells[f"interview/{ANSWER}"].status == "manual"
    )
    assert not results["eve"].needs_manual and results["eve"].score == 0
    assert record.submission_score(course, ASSIGNMENT, "eve") == 0


def test_the_rubric_follows_each_answer_in_the_recorded_notebook(graded):
    course, _ = graded
    cells = json.loads((course.autograded / "ada" / ASSIGNMENT / "interview.ipynb").read_text())[
        "cells"
    ]
    behind = [
        before["metadata"]["nbgrader"]["grade_id"]
        for before, cell in pairwise(cells)
        if rubric.is_rubric(cell)
    ]
    assert len(behind) == 4 and ANSWER in behind
    assert "a note of my own" not in "".join(rubrics_of(course, "ada")), (
        "a student's cell passes for a rubric"
    )


def test_feedback_shows_the_criteria_beside_the_mark_and_neither_answer_nor_samples(graded):
    course, _ = graded
    pages = {page.parent.parent.name: page.read_text() for page in feedback(course, ASSIGNMENT)}
    assert "The key names no input" in pages["ada"] and "a note of my own" in pages["ada"]
    for page in pages.values():
        assert "What a full answer says" not in page and "For the marker" not in page
        assert "B=1, 3, 8 against PyTorch" not in page  # of a sample
        assert page.count(rubric.CRITERIA.strip("*")) == 4
        assert page.count("cause and repair (0.25 for") == 1


CRITERIA = {
    "**Model.** It is 3.\n\n**Points.** 2: a reason.\n\n- 1: a word\n\n**Samples**\n\n- *2*": "**Points.** 2: a reason.\n\n- 1: a word",
    "It is 3, because of x.": "",
    "## Criteria\n\n1 point each\n\n## Answer\n\nIt is 3": "## Criteria\n\n1 point each",
    "Why?\n\n__Rubric:__ 5 points": "__Rubric:__ 5 points",
    "**Pointless.** It is 3.": "",
}


@pytest.mark.parametrize("text", CRITERIA)
def test_criteria_are_the_part_that_says_how_points_are_given(text):
    assert rubric.criteria(text) == CRITERIA[text]


def test_a_tasks_mark_scheme_is_told_and_a_hidden_test_is_not():
    metas = {"task": small.meta("task", 3, task=True), "test": small.meta("test", 3)}
    answer = small.meta("code", 3, solution=True)
    cells = [small.markdown("a", "Draw.", metas["task"]), small.code("b", "1", metas["test"])]
    texts = {
        "task": "2 points for the axes.",
        "test": "**Points.** hidden",
        "code": "**Points.** x = 1",
    }
    made = rubric.beside_answers({"cells": [*cells, small.code("c", "x", answer)]}, texts)["cells"]
    told = [rubric.criteria_of(cell) for cell in made if rubric.is_rubric(cell)]
    assert told == ["2 points for the axes.", "", ""]


def test_nbgraders_own_command_leaves_the_rubric_out_too(graded):
    course, _ = graded
    command = [sys.executable, "-m", "nbgrader", "generate_feedback", ASSIGNMENT, "--force"]
    subprocess.run(command, cwd=course.root, check=True, capture_output=True)
    page = (course.feedback / "ada" / ASSIGNMENT / "interview.html").read_text()
    assert "The key names no input" in page and "What a full answer says" not in page


def test_a_better_rubric_is_published_although_students_notebooks_stay_the_same(tmp_path):
    project = release_of(tmp_path)
    course = Course.at(tmp_path / "course")
    first = publish(course, project, [ASSIGNMENT], exchange=False)[0]
    hand_in(project, course, "ada", {ANSWER: "The key names no input."})
    coordinator.grade(course, coordinator.GradingRequest(ASSIGNMENT, seed=1))
    path = project.solutions / ASSIGNMENT / "interview.ipynb"
    path.write_text(
        path.read_text().replace("The key names no input, so", "Mended: the key names no input, so")
    )
    assert publish(course, project, [ASSIGNMENT], exchange=False)[0].version == first.version
    coordinator.grade(course, coordinator.GradingRequest(ASSIGNMENT, seed=1))
    assert any("Mended: the key" in text for text in rubrics_of(course, "ada"))


@pytest.fixture
def formgrader(graded):
    """The address of a formgrader on the graded course."""
    course, _ = graded
    with servers.formgrader(course.root) as address:
        yield address


def test_formgrader_shows_the_rubric_beside_the_answer(graded, formgrader):
    course, _ = graded
    with record.gradebook(course) as book:
        [notebook] = book.find_submission(ASSIGNMENT, "ada").notebooks
        submission = notebook.id
    page = urllib.request.urlopen(f"{formgrader}/submissions/{submission}/?index=0").read().decode()
    assert page.index("The key names no input") < page.index(
        "What a full answer says", page.index("The key names no input")
    )
    assert page.count("For the marker") == 4


def test_a_mark_typed_for_one_answer_is_no_other_s(graded, formgrader):
    course, _ = graded
    with record.gradebook(course) as book:
        [notebook] = book.find_submission(ASSIGNMENT, "mallory").notebooks
        address = f"{formgrader}/submissions/{notebook.id}/?index=0"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page()
        page.set_default_timeout(MINUTES)
        page.goto(address, wait_until="networkidle")
        with page.expect_response(lambda answer: answer.request.method == "PUT"):
            page.fill(f"input#{FIRST}", "1")
            page.locator(f"input#{FIRST}").blur()
        page.reload(wait_until="networkidle")  # behind whatever else was sent
        browser.close()
    with record.gradebook(course) as book:
        [notebook] = book.find_submission(ASSIGNMENT, "mallory").notebooks
        assert {grade.name for grade in notebook.grades if grade.manual_score} == {FIRST}
