"""Notebooks that an editor took apart, graded in real boxes, beside the local check and beside
nbgrader itself: nothing that grading puts back overrides what a student did.
"""

import copy
import json
import shutil
import subprocess
from pathlib import Path

import pytest
from nbgrader.api import Gradebook

from nbjudge.course import ladders
from nbjudge.course.feedback import feedback
from nbjudge.course.ladders import run_ladders
from nbjudge.course.publish import publish
from nbjudge.course.release import release
from nbjudge.grading.config.folders import Course, Project
from nbjudge.grading.run import coordinator, table
from tests.grading import small
from tests.grading.small import RIGHT, code, markdown

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.xdist_group("put back")


def place(cells, grade_id):
    return next(
        index
        for index, cell in enumerate(cells)
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == grade_id
    )


# What was done to a notebook whose answer `name` is right and stands in front of its `test`.


def nothing(cells, name, test):
    pass


def in_a_new_cell(cells, name, test):
    index = place(cells, name)
    cells[index] = code("fresh", cells[index]["source"])


def in_a_new_cell_at_the_top(cells, name, test):
    cells.insert(0, code("fresh", cells.pop(place(cells, name))["source"]))


def in_a_new_cell_behind_the_test(cells, name, test):
    source = cells.pop(place(cells, name))["source"]
    cells.insert(place(cells, test) + 1, code("fresh", source))


def moved_behind_the_test(cells, name, test):
    answer = cells.pop(place(cells, name))
    cells.insert(place(cells, test) + 1, answer)


def moved_to_the_top(cells, name, test):
    cells.insert(0, cells.pop(place(cells, name)))


def stub_pasted(metadata):
    def below(cells, name, test):
        index = place(cells, name)
        stub = copy.deepcopy(cells[index])
        stub["source"], stub["id"] = STUBS[name], "pasted"
        if not metadata:
            stub["metadata"] = {}
        cells.insert(index + 1, stub)

    return below


def split(cells, name, test):
    index = place(cells, name)
    cells.insert(index, {**copy.deepcopy(cells[index]), "id": "half", "source": "import math"})


def merged_into_the_test(cells, name, test):
    answer = cells.pop(place(cells, name))
    own = cells[place(cells, test)]
    own["source"] = f"{answer['source']}\n\n{own['source']}"


def without_names(cells, name, test):
    for cell in cells:
        cell["metadata"] = {}
        cell.pop("id", None)


def made_markdown(cells, name, test):
    cell = cells[place(cells, name)]
    cell["cell_type"] = "markdown"
    del cell["outputs"], cell["execution_count"]


EDITS = {
    "whole": nothing,
    "new-cell": in_a_new_cell,
    "new-cell-at-the-top": in_a_new_cell_at_the_top,
    "new-cell-behind-the-test": in_a_new_cell_behind_the_test,
    "moved-behind-the-test": moved_behind_the_test,
    "moved-to-the-top": moved_to_the_top,
    "stub-pasted": stub_pasted(True),
    "stub-pasted-without-names": stub_pasted(False),
    "split": split,
    "merged-into-the-test": merged_into_the_test,
    "without-names": without_names,
    "made-markdown": made_markdown,
}
STUBS: dict[str, str] = {}


def hand_in(folder: Path, name: str, document: dict) -> None:
    folder.mkdir(parents=True)
    (folder / f"{name}.ipynb").write_text(json.dumps(document))


def edited(document: dict, edit, name: str, test: str, answer: str) -> dict:
    document = copy.deepcopy(document)
    for cell in document["cells"]:
        cell["source"] = "".join(cell["source"])
    own = document["cells"][place(document["cells"], name)]
    STUBS[name], own["source"] = own["source"], answer
    edit(document["cells"], name, test)
    return document


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """Each edit by a student of that name, graded by us, and what nbgrader gives."""
    root = tmp_path_factory.mktemp("put-back")
    project, course = small.published(root)
    released = small.answered(project, {"essay": "Because."})
    for student, edit in EDITS.items():
        document = edited(released, edit, "square", "test-square", RIGHT)
        hand_in(course.submitted / student / small.ASSIGNMENT, small.NOTEBOOK, document)
    report = coordinator.grade(course, coordinator.GradingRequest(small.ASSIGNMENT, seed=1, jobs=2))
    return report, of_nbgrader(root / "stock", project, course), course


def of_nbgrader(root: Path, project: Project, course: Course) -> dict[str, float]:
    """What nbgrader's own commands give; a student whose submission stops them is not there."""
    shutil.copytree(project.solutions, root / "source")
    shutil.copytree(course.submitted, root / "submitted")
    (root / "nbgrader_config.py").write_text(
        "c = get_config()\nc.CourseDirectory.course_id = 'stock'\n"
    )
    subprocess.run(
        ["nbgrader", "generate_assignment", small.ASSIGNMENT],
        cwd=root,
        check=True,
        capture_output=True,
    )
    subprocess.run(["nbgrader", "autograde", small.ASSIGNMENT], cwd=root, capture_output=True)
    with Gradebook(f"sqlite:///{root}/gradebook.db", "stock") as book:
        graded = [path.parent.name for path in (root / "autograded").glob(f"*/{small.ASSIGNMENT}")]
        return {
            student: book.find_submission(small.ASSIGNMENT, student).score for student in graded
        }


@pytest.mark.parametrize("student", EDITS)
def test_a_plain_answer_earns_its_points_however_it_was_edited(plain, student):
    report, stock, _ = plain
    (result,) = (each for each in report.submissions if each.student == student)
    assert result.cells["first/test-square"].score == 3, (table.why(result), result.remarks)
    assert result.score >= stock.get(student, 0.0)
    assert "not done" not in table.why(result)
    is_said = bool(result.remarks or result.tampered)
    assert is_said == (student != "whole")


def test_nbgrader_itself_takes_some_of_them(plain):
    """Else the comparison would say nothing."""
    assert {"whole", "new-cell", "split"} & {name for name, score in plain[1].items() if score == 3}


def test_the_student_reads_how_the_notebook_was_read(plain):
    feedback(plain[2], small.ASSIGNMENT)
    pages = {
        student: (plain[2].feedback / student / small.ASSIGNMENT / "first.html").read_text()
        for student in EDITS
    }
    said = {
        student for student, page in pages.items() if "How the grader read this notebook" in page
    }
    assert said == EDITS.keys() - {"whole"}
    assert "No response" not in pages["new-cell"]


LABS = ["new-cell", "new-cell-behind-the-test", "stub-pasted-without-names", "without-names"]


@pytest.fixture(scope="module")
def lab(project, tmp_path_factory):
    """The lab `inspect`, some edits of it checked locally and graded."""
    folder = tmp_path_factory.mktemp("inspect")
    course = Course.at(folder / "course")
    publish(course, project, ["day-50"], exchange=False)
    released = json.loads((project.labs / "day-50" / "inspect.ipynb").read_text())
    solved = json.loads((project.solutions / "day-50" / "inspect.ipynb").read_text())["cells"]
    answer = "".join(solved[place(solved, "describe")]["source"])
    ladders = {}
    for student in LABS:
        document = edited(released, EDITS[student], "describe", "check-inspect", answer)
        hand_in(course.submitted / student / "day-50", "inspect", document)
        work = folder / "work" / student
        shutil.copytree(project.labs / "day-50", work)
        (work / "inspect.ipynb").write_text(json.dumps(document))
        ladders[student] = run_ladders(work / "inspect.ipynb")
    report = coordinator.grade(course, coordinator.GradingRequest("day-50", seed=1, jobs=2))
    return ladders, {result.student: result for result in report.submissions}


@pytest.mark.parametrize("student", LABS)
def test_the_local_check_and_the_mark_agree(lab, student):
    ladders, results = lab
    cell = results[student].cells["inspect/check-inspect"]
    assert cell.score == cell.max_score
    assert ladders[student].passed, ladders[student].text
    said = [remark.removeprefix("inspect: ") for remark in results[student].remarks]
    assert said and set(said) <= set(ladders[student].text.splitlines())


def test_a_test_that_was_rewritten_passes_nobody_in_the_local_check(project, tmp_path):
    work = shutil.copytree(project.labs / "day-50", tmp_path / "day-50") / "inspect.ipynb"
    document = json.loads(work.read_text())
    test = document["cells"][place(document["cells"], "check-inspect")]
    test["source"] = "print('every rung passed')"
    work.write_text(json.dumps(document))
    found = run_ladders(work)
    assert not found.passed
    assert "check-inspect: the given cell was edited and was reset" in found.text.splitlines()


@pytest.mark.parametrize("damage", ["missing", "broken", "other"])
def test_without_the_given_cells_a_check_runs_what_there_is_and_says_so(
    project, tmp_path, monkeypatch, damage
):
    """Nor are they installed with the lab's exercises: those of the course are."""
    lab = shutil.copytree(project.labs / "day-50", tmp_path / "day-50")
    given = lab / "references" / "given" / "inspect.json"
    if damage == "missing":
        shutil.rmtree(given.parent)
    else:
        given.write_text(
            "{"
            if damage == "broken"
            else given.read_text().replace('"version": "', '"version": "0')
        )
    assert "as it stands" not in run_ladders(lab / "inspect.ipynb").text
    monkeypatch.setattr(ladders, "installed", dict)
    found = run_ladders(lab / "inspect.ipynb")
    assert "the stub" in found.text and "as it stands" in found.text.splitlines()[0]


ANSWERS = ["answer-folding", "answer-dynamic", "answer-precision", "answer-torchscript"]


def text_in_new_cells(cells):
    for name in ANSWERS:
        index = place(cells, name)
        cells[index] = markdown(f"own-{name}", "What I think of it.")


def text_below_the_stubs(cells):
    for name in ANSWERS:
        cells.insert(place(cells, name) + 1, markdown(f"own-{name}", "What I think of it."))


def stubs_twice(cells):
    for name in ANSWERS:
        index = place(cells, name)
        cells.insert(index, {**copy.deepcopy(cells[index]), "id": f"own-{name}"})


def everything_without_names(cells):
    text_in_new_cells(cells)
    without_names(cells, "", "")


READ = {
    "new-cells": text_in_new_cells,
    "below": text_below_the_stubs,
    "twice": stubs_twice,
    "nameless": everything_without_names,
}
NOT_READ = {"stub": lambda cells: None, "nameless-stub": lambda cells: without_names(cells, "", "")}


@pytest.fixture(scope="module")
def interview(tmp_path_factory):
    root = tmp_path_factory.mktemp("interview")
    folder = root / "checkout" / "solutions" / "iv"
    folder.mkdir(parents=True)
    (root / "checkout" / "pyproject.toml").touch()
    shutil.copy(ROOT / "solutions" / "lab-7-01" / "interview.ipynb", folder)
    project, course = Project(root / "checkout"), Course.at(root / "course")
    release(project)
    publish(course, project, exchange=False)
    released = json.loads((project.labs / "iv" / "interview.ipynb").read_text())
    for student, edit in {**READ, **NOT_READ}.items():
        document = copy.deepcopy(released)
        edit(document["cells"])
        hand_in(course.submitted / student / "iv", "interview", document)
    report = coordinator.grade(course, coordinator.GradingRequest("iv", seed=1, jobs=2))
    with Gradebook(course.gradebook_url, course.course_id) as book:
        waiting = {
            each.student.id: {
                grade.cell.name for grade in each.notebooks[0].grades if grade.needs_manual_grade
            }
            for each in book.assignment_submissions("iv")
        }
    return {result.student: result for result in report.submissions}, waiting


@pytest.mark.parametrize("student", READ)
def test_an_answer_that_may_stand_elsewhere_waits_for_a_person(interview, student):
    results, waiting = interview
    assert waiting[student] == set(ANSWERS)
    assert results[student].needs_manual and results[student].status == "graded"
    assert results[student].remarks


@pytest.mark.parametrize("student", NOT_READ)
def test_an_untouched_answer_is_zero_without_a_person(interview, student):
    results, waiting = interview
    assert not waiting[student] and results[student].score == 0
