"""What a person who marks sees of a student's work, and what of it a student gets back."""

import json
import shutil
from pathlib import Path

import pytest

from nbjudge.course import report as class_report
from nbjudge.course.feedback import feedback
from nbjudge.course.publish import publish
from nbjudge.course.release import release
from nbjudge.grading.config.folders import Course, Project
from nbjudge.grading.gradebook import record
from nbjudge.grading.marks import plain_tests, views
from nbjudge.grading.published import rubric
from nbjudge.grading.run import coordinator
from tests.grading import small
from tests.grading.small import ASSIGNMENT, NOTEBOOK, RIGHT, TEST, code, markdown, meta

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


CONFLICT = "{\n<<<<<<< HEAD\n1\n=======\n2\n>>>>>>> main\n}"


def test_what_was_not_handed_in_waits_for_nobody(original, tmp_path):
    """Neither does a task that nobody wrote a cell for, or gave a file; an answer shows no drawing."""
    course = small.copied(original[1], tmp_path / "course")
    for student, answers in {
        "stub": {},
        "part": {"square": RIGHT},
        "file": {"square": RIGHT},
    }.items():
        hand_in(original, course, student, answers)
    hand_in(original, course, "own", {}, code("mine", "print('drawn')"))
    (course.submitted / "file" / ASSIGNMENT / "drawing.png").write_bytes(b"png")
    (torn := course.submitted / "torn" / ASSIGNMENT).mkdir(parents=True)
    (torn / f"{NOTEBOOK}.ipynb").write_text(CONFLICT)
    results = grade(course)
    assert {name for name, result in results.items() if result.needs_manual} == {"file", "own"}
    with record.gradebook(course) as book:
        waiting = {
            one.id for one in book.find_assignment(ASSIGNMENT).submissions if one.needs_manual_grade
        }
        assert (
            len(waiting) == 2
            and book.find_grade("task", NOTEBOOK, ASSIGNMENT, "torn").auto_score == 0
        )
    assert "merge conflict (line 2)" in (results["torn"].reason or "")


OPEN = "size = open('points.csv').read()\nassert square(3) == 9, 'of three'"
SECRET = "square(-7)"
MIXED = f"{OPEN}\n### BEGIN HIDDEN TESTS\nassert {SECRET} == 49\n### END HIDDEN TESTS"
LATER = "assert square(3) == 9\nassert square(4) == 16"
# A class that tells whatever it can find of a hidden test in the error that it raises.
TELLS = """import sys
def square(x):
    found = "".join(get_ipython().user_ns["In"])
    frame = sys._getframe()
    while frame:
        found += repr(frame.f_locals.get("cell")) + repr(frame.f_locals.get("raw_cell"))
        frame = frame.f_back
    raise type("Told", (Exception,), {})(found[-3000:])"""


def test_a_visible_test_keeps_its_own_error_and_a_hidden_one_tells_nothing(tmp_path):
    cells = [
        code("answer", small.SOLUTION, meta("square", solution=True)),
        code("test", TEST, meta("test-square", 3)),
        code("open", MIXED, meta("test-open", 1)),
        code("later", LATER, meta("test-later", 2)),
    ]
    original = Project(tmp_path / "checkout"), Course.at(tmp_path / "course")
    project, course = original
    small.write(project, cells)
    (project.solutions / ASSIGNMENT / "points.csv").write_text("1")
    release(project)
    publish(course, project, exchange=False)
    answers = {
        "own": "def square(x):\n    return open('/content/drive/points.csv')",
        "part": "def square(x):\n    return 9",
        "hidden": "def square(x):\n    return x * abs(x)",
        "eve": TELLS,
    }
    for student, source in answers.items():
        hand_in(original, course, student, {"square": source})
    results = grade(course)
    found = {
        student: {name.partition("/")[2]: cell.found for name, cell in result.cells.items()}
        for student, result in results.items()
    }
    missing = "FileNotFoundError: [Errno 2] No such file or directory: '/content/drive/points.csv'"
    assert found["own"]["test-square"] == f"{missing}, in the line `assert square(3) == 9`"
    assert found["own"]["test-open"].startswith(f"{missing}, in the line `assert square(3) == 9, ")
    assert found["part"]["test-later"] == "AssertionError: in the line `assert square(4) == 16`"
    hidden = f"{plain_tests.HIDDEN_TEST}: {plain_tests.NOT_PASSED}"
    assert found["part"]["test-square"] == found["hidden"]["test-square"] == hidden
    assert not found["hidden"]["test-later"]
    pages = {path.parts[-3]: path.read_text() for path in feedback(course, ASSIGNMENT)}
    assert "Told" in found["eve"]["test-square"]
    for student in answers:
        for text in (json.dumps(results[student].to_json()), pages[student]):
            assert "square(-2)" not in text and SECRET not in text


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
    """The task is tried by whoever made cells of their own, and waits for nobody else."""
    course, _ = class_of
    items = {item.name: item for item in class_report.of(course, ASSIGNMENT).items}
    plot, task = items["first/plot"], items["first/task"]
    assert (plot.tried, plot.judged, plot.waiting, plot.difficulty) == (2, 0, 2, None)
    assert (task.tried, task.judged, task.waiting) == (3, 0, 3)
