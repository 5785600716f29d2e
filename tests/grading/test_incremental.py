"""A class graded again: what depends on nothing that changed is taken over, and of what changed no
more runs than has to.
"""

import json
import os
import shutil
from collections import Counter
from pathlib import Path

import pytest

from nbjudge import boxes
from nbjudge.contract import Exercise
from nbjudge.course.publish import publish
from nbjudge.grading import canary, coordinator, dependencies, shelves, sources
from nbjudge.grading.folders import Course

ASSIGNMENT, SOLVED, WRONG = "day-50", "ada", "bob"
RUNNER, CHECKER = "runner", "checker"
pytestmark = pytest.mark.xdist_group("incremental")


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory):
    """References of this module's own."""
    before = os.environ.get("XDG_CACHE_HOME")
    os.environ["XDG_CACHE_HOME"] = str(tmp_path_factory.mktemp("cache"))
    yield Path(os.environ["XDG_CACHE_HOME"])
    os.environ.pop("XDG_CACHE_HOME")
    if before is not None:
        os.environ["XDG_CACHE_HOME"] = before


@pytest.fixture(scope="module")
def first(project, tmp_path_factory):
    """A course in which a perfect submission is graded."""
    course = Course.at(tmp_path_factory.mktemp("again") / "course")
    publish(course, project, [ASSIGNMENT], exchange=False)
    folder = course.submitted / SOLVED / ASSIGNMENT
    shutil.copytree(project.solutions / ASSIGNMENT, folder)
    return course, grade(course)


@pytest.fixture
def again(first, tmp_path):
    """A copy of that course."""
    course = Course.at(shutil.copytree(first[0].root, tmp_path / "course"))
    config = course.root / "nbgrader_config.py"
    config.write_text(config.read_text().replace(str(first[0].root), str(course.root)))
    return course


@pytest.fixture
def jobs(monkeypatch):
    """How many jobs each kind of box gets while the class is graded."""
    counted = Counter()
    run = boxes.Series.run
    monkeypatch.setattr(canary, "prove", lambda *anything: None)
    monkeypatch.setattr(
        boxes.Series,
        "run",
        lambda self, *told, **named: (
            counted.update([self._module.rpartition(".")[2]]) or run(self, *told, **named)
        ),
    )
    return counted


def grade(course, **order):
    return coordinator.grade(
        course, coordinator.GradingRequest(ASSIGNMENT, seed=50, jobs=1, **order)
    )


def marks(report):
    return {
        result.student: {key: cell.score for key, cell in result.cells.items()}
        for result in report.submissions
    }


def change(monkeypatch, what, exercise):
    real = getattr(dependencies, what)
    monkeypatch.setattr(
        dependencies, what, lambda name: f"{real(name)}{'changed' if name == exercise else ''}"
    )


def test_nothing_runs_when_nothing_changed(first, again, jobs):
    report = grade(again)
    assert marks(report) == marks(first[1]) and report.resumed == 1
    assert not jobs and not report.why


def test_nothing_new_needs_no_sandbox_and_something_new_does(first, again, monkeypatch):
    with monkeypatch.context() as without:
        without.setattr(boxes, "require_sandbox", refuse)
        without.setattr(canary, "prove", refuse)
        assert grade(again).resumed == 1
        shutil.copytree(again.submitted / SOLVED, again.submitted / WRONG)
        with pytest.raises(coordinator.Refused, match="no grading without a sandbox: none here"):
            grade(again)
    report = grade(again)
    assert report.resumed == 1 and marks(report) == dict.fromkeys(
        (SOLVED, WRONG), marks(first[1])[SOLVED]
    )


def test_nothing_new_makes_no_case(first, again, monkeypatch):
    """They may be models that an export makes: seconds, and much memory."""
    with monkeypatch.context() as without:
        without.setattr(Exercise, "graded_cases", refuse)
        assert grade(again).resumed == 1
        change(without, "of_judging", "inspect")
        with pytest.raises(coordinator.Refused, match="cannot be made here: SandboxUnavailable"):
            grade(again)
    shutil.copytree(again.submitted / SOLVED, again.submitted / WRONG)
    assert grade(again).resumed == 1


def test_references_that_are_gone_are_made_again_before_keys_are_compared(first, again, cache):
    kept = set(cache.rglob("*.safetensors"))
    for path in kept:
        path.unlink()
    assert grade(again).resumed == 1
    assert set(cache.rglob("*.safetensors")) & kept


def refuse(*anything):
    raise boxes.SandboxUnavailable("none here")


def test_after_a_changed_rung_only_its_exercise_is_checked_again(first, again, jobs, monkeypatch):
    change(monkeypatch, "of_judging", "inspect")
    report = grade(again)
    assert marks(report) == marks(first[1])
    # References are digested by the code that judges, and the lab as it was released is judged by
    # it: the solution and the released lab run once more, in boxes of their own. No student's code
    # does.
    assert jobs == {RUNNER: 2, CHECKER: 3}
    assert "notebook" not in jobs, "no submitted notebook was read"
    assert report.why[SOLVED] == {
        "inspect": "what judges the exercise changed: the stored answers are checked again"
    }


def test_after_a_changed_exercise_only_its_notebook_runs(first, again, jobs, monkeypatch):
    change(monkeypatch, "of_asking", "inspect")
    report = grade(again)
    assert marks(report) == marks(first[1])
    assert jobs["notebook"] == 1
    assert report.why[SOLVED] == {"inspect": "what the exercise asks changed"}


def test_after_a_changed_notebook_only_that_one_runs(first, again, jobs):
    path = again.submitted / SOLVED / ASSIGNMENT / "inspect.ipynb"
    notebook = json.loads(path.read_text())
    for cell in notebook["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("solution"):
            cell["source"] = "def describe(model, directory=None):\n    return {}"
    path.write_text(json.dumps(notebook))
    report = grade(again)
    assert jobs == {"notebook": 1, RUNNER: 1, CHECKER: 1}
    assert report.why[SOLVED] == {"inspect": "the notebook was handed in again, changed"}
    before, after = marks(first[1])[SOLVED], marks(report)[SOLVED]
    assert after["inspect/check-inspect"] < before["inspect/check-inspect"]
    assert after["dropout/check-dropout"] == before["dropout/check-dropout"]


def test_answers_of_an_older_notebook_are_never_judged_for_a_newer_one(again, jobs, monkeypatch):
    (again.submitted / SOLVED / ASSIGNMENT / "inspect.ipynb").write_text("no notebook")
    assert marks(grade(again))[SOLVED]["inspect/check-inspect"] == 0
    change(monkeypatch, "of_judging", "inspect")
    assert marks(grade(again))[SOLVED]["inspect/check-inspect"] == 0


def test_answers_that_were_lost_are_made_again(first, again, jobs, monkeypatch):
    for path in (again.root / ".nbjudge" / "journal").rglob("inspect.answers"):
        path.write_bytes(path.read_bytes()[:-40])
    change(monkeypatch, "of_judging", "inspect")
    report = grade(again)
    assert marks(report) == marks(first[1])
    assert report.why[SOLVED] == {
        "inspect": "what judges the exercise changed, and its answers were not kept"
    }


def test_a_second_course_starts_with_the_references_of_the_first(first, project, tmp_path, jobs):
    course = Course.at(tmp_path / "second")
    publish(course, project, [ASSIGNMENT], exchange=False)
    (course.submitted / WRONG / ASSIGNMENT).mkdir(parents=True)
    grade(course)
    assert not jobs


def test_references_that_are_not_as_they_were_written_are_not_used(first, cache):
    path, *_ = sorted(cache.rglob("*.safetensors"))
    name, data = path.stem, path.read_bytes()
    assert shelves.Shelf(name).read()
    path.chmod(0o644)
    assert shelves.Shelf(name).read() is None
    path.chmod(0o600)
    path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    assert shelves.Shelf(name).read() is None
    path.write_bytes(data)
    assert shelves.Shelf(name).read()


CODE = 'def f(x):\n    """It doubles."""\n    return x * 2\n'


@pytest.mark.parametrize(
    ("text", "is_same"),
    [
        ('"""New."""\n' + CODE.replace("It doubles.", "Doubles."), True),
        ("# why\n" + CODE, True),
        (CODE.replace("2", "3"), False),
        (CODE.replace("f(x)", "f(x=1)"), False),
    ],
)
def test_code_counts_and_what_is_said_of_it_does_not(tmp_path, text, is_same):
    (tmp_path / "a.py").write_text(CODE)
    (tmp_path / "b.py").write_text(text)
    one, other = (sources.of(tmp_path / name) for name in ("a.py", "b.py"))
    assert (one.does == other.does) is is_same


def test_an_exercise_depends_on_what_it_imports_and_on_no_other_exercise():
    found = dependencies.closure(dependencies._modules("dropout", judging=True))
    assert {
        "formatlab.graphs",
        "formatlab_exercises.shared.surgery",
        "nbjudge.rungs.outcome",
        "nbjudge.contract",
    } <= found.keys()
    assert not [
        name
        for name in found
        if name.startswith(("formatlab_exercises.gemm", "formatlab.show", "formatlab.measure"))
    ]
    asking = dependencies.closure(dependencies._modules("dropout", judging=False))
    assert not [name for name in asking if name.startswith("exercises.") and ".judge" in name]


def test_what_a_file_does_is_found_once(tmp_path, monkeypatch):
    """By another process too, and by the bytes alone."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    first = sources.Kept()
    found = first.of(CODE.encode())
    first.keep()
    monkeypatch.setattr(sources, "_parsed", refuse)
    again = sources.Kept()
    assert again.of(CODE.encode()) == found
    with pytest.raises(boxes.SandboxUnavailable):  # what refuses
        again.of(b"import os")


@pytest.mark.parametrize("harm", ["cut", "another", "shared", "no JSON"])
def test_what_somebody_else_put_there_is_found_anew(tmp_path, monkeypatch, harm):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    first = sources.Kept()
    found = first.of(CODE.encode())
    first.keep()
    [path] = tmp_path.rglob("*.safetensors")
    data = path.read_bytes()
    if harm == "cut":
        path.write_bytes(data[:-3])
    elif harm == "another":  # the same change of the code as if it changed nothing
        path.write_bytes(data.replace(found.does.encode(), b"0" * len(found.does)))
    elif harm == "shared":
        path.chmod(0o660)
    else:
        shelves.Shelf(path.stem).write({"files": b"[1, 2"})
    assert sources.Kept().of(CODE.encode()) == found


def test_grading_does_without_a_cache(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    alone = sources.Kept()
    found = alone.of(CODE.encode())
    alone.keep()
    assert found.does == alone.of(b"# why\n" + CODE.encode()).does
