"""What a person who marks sees of a student's work, and what of it a student gets back."""

import json
import shutil
from pathlib import Path

import pytest
import small
from small import ASSIGNMENT, NOTEBOOK, RIGHT, TEST, code, markdown, meta

from nbjudge.course import report as class_report
from nbjudge.course.feedback import feedback
from nbjudge.course.publish import publish
from nbjudge.course.release import release
from nbjudge.grading.config.folders import Course, Project
from nbjudge.grading.marks import plain_tests, views
from nbjudge.grading.published import rubric
from nbjudge.grading.run import coordinator

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.xdist_group("marker")
PLOT = "import matplotlib.pyplot as plt\nplt.plot([1, square(2)])\nplt.title('mine')\nplt.show()"
DRAW = "### BEGIN SOLUTION\nprint('a plot')\n### END SOLUTION"
HELPED = "### BEGIN HIDDEN TESTS\nhelper = 3\n### END HIDDEN TESTS\nassert square(1) == 1"


def grade(course, assignment=ASSIGNMENT, **options):
    report = coordinator.grade(course, coordinator.GradingRequest(assignment, seed=1, **options))
    assert report.exit_code == 0
    return {result.student: result for result in report.submissions}


def recorded(course, student, assignment=ASSIGNMENT, name=NOTEBOOK):
    return json.loads((course.autograded / student / assignment / f"{name}.ipynb").read_text())


def shown(document, cell_id):
    """The outputs of a cell."""
    return next(cell["outputs"] for cell in document["cells"] if cell["id"] == cell_id)


def pictures(outputs):
    return [one["data"]["image/png"] for one in outputs if "image/png" in one.get("data", {})]


def page(course, student):
    found = {path.parts[-3]: path.read_text() for path in feedback(course, ASSIGNMENT)}
    return found[student]


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    """Behind a hidden test, a plot, and a task for which students make cells of their own."""
    cells = [
        code("answer", small.SOLUTION, meta("square", solution=True)),
        code("test", TEST, meta("test-square", 3)),
        code("plot", DRAW, meta("plot", 4, solution=True)),
        code("later", HELPED, meta("test-later", 1)),
        markdown("task", small.TASK, meta("task", 3, task=True)),
    ]
    return small.published(tmp_path_factory.mktemp("published"), cells)


def hand_in(original, course, student, answers, *own):
    project, _ = original
    document = small.answered(project, answers)
    document["cells"] += own
    folder = course.submitted / student / ASSIGNMENT
    folder.mkdir(parents=True)
    (folder / f"{NOTEBOOK}.ipynb").write_text(json.dumps(document))


TAKES = """import sys
def square(x):
    return x * x
def took():
    return "".join(get_ipython().user_ns["In"]) + "".join(str(frame.f_globals.get("helper")) for frame in sys._current_frames().values())"""


@pytest.fixture(scope="module")
def class_of(original, tmp_path_factory):
    course = small.copied(original[1], tmp_path_factory.mktemp("class") / "course")
    hand_in(
        original,
        course,
        "ada",
        {"square": RIGHT, "plot": PLOT},
        code("drawn", PLOT),
        code("file", "open('table.csv', 'w').write('a,b')"),
    )
    hand_in(
        original,
        course,
        "eve",
        {"square": TAKES, "plot": "print(took())\nopen('took.txt', 'w').write(took())"},
        code("x", "print(took())"),
    )
    hand_in(original, course, "hal", {"square": RIGHT}, code("uses", "print(helper)"))
    hand_in(original, course, "stub", {})
    return course, grade(course)


def test_a_plot_behind_a_hidden_test_is_shown_to_the_marker_and_in_feedback(class_of):
    course, results = class_of
    document = recorded(course, "ada")
    assert len(pictures(shown(document, "plot"))) == 1
    (own,) = [cell for cell in document["cells"] if cell["source"] == PLOT and cell["id"] != "plot"]
    assert len(pictures(own["outputs"])) == 1
    assert page(course, "ada").count("data:image/png;base64,") == 2
    assert results["ada"].needs_manual and results["ada"].cells["first/test-square"].score == 3


def test_what_the_second_run_writes_lies_beside_the_notebook(class_of):
    course, _ = class_of
    assert (course.autograded / "ada" / ASSIGNMENT / "table.csv").read_text() == "a,b"


def test_what_is_shown_holds_nothing_hidden(class_of):
    course, _ = class_of
    document, told = recorded(course, "eve"), page(course, "eve")
    output = shown(document, "plot")[0]
    assert "assert square(3) == 9" in output["text"]
    document["cells"] = [cell for cell in document["cells"] if not rubric.is_rubric(cell)]
    folder = course.autograded / "eve" / ASSIGNMENT
    kept = [path.read_text() for path in folder.rglob("*") if path.suffix != ".ipynb"]
    assert "took.txt" in {path.name for path in folder.iterdir()}
    for text in (told, json.dumps(document), *kept):
        assert "square(-2)" not in text and "helper = 3" not in text


def test_a_cell_that_needs_what_a_hidden_test_defines_says_so(class_of):
    course, _ = class_of
    cells = recorded(course, "hal")["cells"]
    (own,) = [cell for cell in cells if cell["source"] == "print(helper)"]
    assert own["outputs"][0]["text"] == views.NEEDS_HIDDEN
    assert own["outputs"][1]["ename"] == "NameError"


def test_test_cells_show_no_more_than_before(class_of):
    course, _ = class_of
    assert shown(recorded(course, "ada"), "test")[0]["text"] == plain_tests.HIDDEN


def test_without_time_for_a_second_run_the_cell_says_so(original, tmp_path):
    course = small.copied(original[1], tmp_path / "course")
    hand_in(
        original,
        course,
        "ada",
        {"square": RIGHT, "plot": "import time\ntime.sleep(3)\nprint('late')"},
    )
    results = grade(course, budget={"submission": 4.0})
    assert results["ada"].cells["first/test-square"].score == 3
    assert shown(recorded(course, "ada"), "plot")[0]["text"] in (views.NOT_SHOWN, "late\n")


@pytest.mark.slow
def test_behind_an_exercise_a_plot_is_shown_too(tmp_path):
    """Beside hidden inputs nothing is kept either."""
    root = tmp_path / "checkout"
    (root / "solutions" / "day-50").mkdir(parents=True)
    (root / "pyproject.toml").touch()
    path = root / "solutions" / "day-50" / "inspect.ipynb"
    shutil.copy(ROOT / "solutions" / "day-50" / "inspect.ipynb", path)
    document = json.loads(path.read_text())
    document["cells"].append(code("plot", DRAW, meta("plot", 4, solution=True)))
    path.write_text(json.dumps(document))
    project, course = Project(root), Course.at(tmp_path / "course")
    release(project)
    publish(course, project, exchange=False)
    handed_in = json.loads((project.labs / "day-50" / "inspect.ipynb").read_text())
    handed_in["cells"][-1]["source"] = PLOT.replace("square(2)", "4")
    folder = course.submitted / "ada" / "day-50"
    folder.mkdir(parents=True)
    (folder / "inspect.ipynb").write_text(json.dumps(handed_in))
    grade(course, "day-50")
    assert len(pictures(shown(recorded(course, "ada", "day-50", "inspect"), "plot"))) == 1


def test_an_answer_that_needs_a_hidden_name_is_said_at_release(tmp_path):
    cells = [
        code("answer", small.SOLUTION, meta("square", solution=True)),
        code("later", HELPED, meta("test-later", 1)),
        code(
            "uses",
            "### BEGIN SOLUTION\nprint(helper)\n### END SOLUTION",
            meta("uses", 1, solution=True),
        ),
        code("not", DRAW, meta("plot", 1, solution=True)),
    ]
    project = Project(tmp_path)
    small.write(project, cells)
    said = []
    release(project, say=said.append)
    (line,) = [line for line in said if "hidden test" in line]
    assert "first.ipynb: uses" in line and "helper" in line and "plot" not in line


def test_the_report_counts_who_tried_and_not_who_is_marked(class_of):
    """Three drew a plot or left the stub; the task is tried by whoever made cells of their own."""
    course, _ = class_of
    items = {item.name: item for item in class_report.of(course, ASSIGNMENT).items}
    plot, task = items["first/plot"], items["first/task"]
    assert (plot.tried, plot.judged, plot.waiting, plot.difficulty) == (2, 0, 2, None)
    assert (task.tried, task.judged) == (3, 0) and task.waiting == 4
