"""`course report` on classes that were graded: most of one class hand in the same answer, one of
another did what somebody did a term before.
"""

import json
import shutil

import pytest
from typer.testing import CliRunner

from nbjudge.cli import app
from nbjudge.course.publish import publish
from nbjudge.course.release import release
from nbjudge.grading.config.folders import Course, Project
from nbjudge.grading.run import coordinator
from tests.grading import small

BODY = """
    total, seen = 0, set()
    for number in range(1, abs(int(x)) + 1):
        if number % 2 == 0 and number not in seen:
            total += 2 * number - 1
            seen.add(number)
        elif number % 2 == 1:
            total = total + number + number - 1
    return total"""
OTHER = """
    values = [abs(x)] * abs(x)
    while len(values) > 1:
        first = values.pop()
        second = values.pop()
        values.append(first + second)
    return values[0] if values else 0 if x == 0 else None"""
THIRD = """
    import math
    root = math.fabs(float(x))
    power = math.exp(2 * math.log(root)) if root > 0 else 0.0
    rounded = int(math.floor(power + 0.5))
    assert rounded >= 0, 'a square is not negative'
    return rounded if rounded % 1 == 0 else None"""
HEAD = "def square(x):"
SOLUTION = f"{HEAD}\n    ### BEGIN SOLUTION{BODY}\n    ### END SOLUTION"


def hand_in(project: Project, course: Course, student: str, source: str) -> None:
    folder = course.submitted / student / small.ASSIGNMENT
    shutil.copytree(project.labs / small.ASSIGNMENT, folder)
    path = folder / f"{small.NOTEBOOK}.ipynb"
    given = json.loads(path.read_text())
    for cell in given["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == "square":
            cell["source"] = source
    path.write_text(json.dumps(given))


@pytest.fixture(scope="module")
def classes(tmp_path_factory):
    root = tmp_path_factory.mktemp("likeness")
    project = Project(root)
    small.write(
        project,
        [
            small.code("answer", SOLUTION, small.meta("square", solution=True)),
            small.code("test", "assert square(3) == 9", small.meta("test-square", 3)),
        ],
    )
    release(project)
    handed_in = {
        "now": {
            **{f"same{number}": HEAD + BODY for number in range(7)},
            "other": HEAD + OTHER,
            "short": f"{HEAD}\n    return x * x",
            "third": HEAD + THIRD,
        },
        "before": {"earlier": HEAD + OTHER.replace("first", "one").replace("second", "two")},
    }
    for name, sources in handed_in.items():
        course = Course.at(root / name)
        publish(course, project, [small.ASSIGNMENT])
        for student, source in sources.items():
            hand_in(project, course, student, source)
        coordinator.grade(course, coordinator.GradingRequest(small.ASSIGNMENT, jobs=2))
    return root


def report(root, *words):
    data, html = root / "report.json", root / "report.html"
    told = ["report", small.ASSIGNMENT, "--course", root / "now", *words]
    done = CliRunner().invoke(app, list(map(str, [*told, "--json", data, "--html", html])))
    return done, data, html


def test_seven_of_ten_handed_in_the_solution(classes):
    told, data, html = report(classes, "--names")
    assert told.exit_code == 0, told.output
    line = "first (square): 7 of 10, the majority, handed in the same, letter for letter, which is the same as the instructor's solution: "
    line += ", ".join(f"same{number}" for number in range(7))
    shown = " ".join(told.output.split())
    assert line in shown
    assert line.replace("'", "&#39;") in html.read_text()
    [group] = json.loads(data.read_text())["groups"]
    assert (len(group["students"]), group["writers"], group["is_majority"]) == (7, 10, True)
    assert group["sources"] == ["the instructor's solution"]
    assert "first (square): 1 of 10 answers is too short to say anything" in shown


def test_an_earlier_term_is_compared_with_and_not_counted(classes):
    before = sorted(path for path in (classes / "before").rglob("*"))
    told, data, _ = report(classes, "--names", "--earlier", classes / "before")
    assert told.exit_code == 0, told.output
    found = json.loads(data.read_text())
    sources = {tuple(group["students"]): group["sources"] for group in found["groups"]}
    assert sources[("other",)] == [f"earlier of {classes / 'before'}"]
    assert {group["writers"] for group in found["groups"]} == {10}
    assert "1 submission of earlier terms" in " ".join(told.output.split())
    assert sorted(path for path in (classes / "before").rglob("*")) == before


def test_numbers_stand_for_students_of_earlier_terms_too(classes):
    _, data, html = report(classes, "--earlier", classes / "before")
    for text in (data.read_text(), html.read_text()):
        assert "earlier of" not in text and "same0" not in text


@pytest.mark.parametrize("folder", ["nothing-here", "now"])
def test_a_folder_that_is_no_earlier_term_is_refused(classes, folder):
    told, _, _ = report(classes, "--earlier", classes / folder)
    assert told.exit_code == 2 and told.stderr.count("\n") == 1
    assert "earlier term" in told.stderr and not (classes / "nothing-here").exists()
