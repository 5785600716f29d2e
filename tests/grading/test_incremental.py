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
from nbjudge.grading.config.folders import Course
from nbjudge.grading.run import coordinator
from nbjudge.grading.store import cache as stored
from nbjudge.grading.store import fingerprints
from nbjudge.grading.submission import canary

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
    real = getattr(fingerprints, what)
    monkeypatch.setattr(
        fingerprints, what, lambda name: f"{real(name)}{'changed' if name == exercise else ''}"
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
    assert report.why[SOLVED] == {
        "inspect": "what judges the exercise changed: the stored answers are checked again"
    }


def test_after_a_changed_exercise_only_its_notebook_runs(first, again, jobs, monkeypatch):
    change(monkeypatch, "of_asking", "inspect")
    report = grade(again)
    assert marks(report) == marks(first[1])
    assert jobs[RUNNER] == 1
    assert report.why[SOLVED] == {"inspect": "what the exercise asks changed"}


def test_after_a_changed_notebook_only_that_one_runs(first, again, jobs):
    path = again.submitted / SOLVED / ASSIGNMENT / "inspect.ipynb"
    notebook = json.loads(path.read_text())
    for cell in notebook["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("solution"):
            cell["source"] = "def describe(model, directory=None):\n    return {}"
    path.write_text(json.dumps(notebook))
    report = grade(again)
    assert jobs == {RUNNER: 1, CHECKER: 1}
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


@pytest.mark.parametrize("harm", ["cut", "another", "shared", "linked"])
def test_what_somebody_else_put_into_the_cache_is_not_used(tmp_path, monkeypatch, harm):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    stored.write("stage", {"of": "this"}, {"name": b"bytes"})
    assert stored.read("stage", {"of": "this"}) == {"name": b"bytes"}
    path = stored.path_of("stage", {"of": "this"})
    data = path.read_bytes()
    if harm == "cut":
        path.write_bytes(data[:-3])
    elif harm == "another":
        path.write_bytes(data.replace(b"bytes", b"other"))
    elif harm == "shared":
        path.chmod(0o660)
    else:
        path.rename(tmp_path / "elsewhere")
        path.symlink_to(tmp_path / "elsewhere")
    assert stored.read("stage", {"of": "this"}) is None
    assert stored.memo("stage", {"of": "this"}, lambda: {"name": b"anew"}) == {"name": b"anew"}


def test_an_entry_is_of_its_stage_and_of_each_of_its_inputs(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    stored.write("stage", {"a": "1", "b": "2"}, {"name": b"bytes"})
    for stage, inputs in (
        ("other", {"a": "1", "b": "2"}),
        ("stage", {"a": "1"}),
        ("stage", {"a": "2", "b": "1"}),
        ("stage", {"a": "1=b", "": "2"}),
    ):
        assert stored.read(stage, inputs) is None
    assert stored.read("stage", {"b": "2", "a": "1"}) == {"name": b"bytes"}


@pytest.fixture
def course_exercise(tmp_path, monkeypatch):
    """The folder of an exercise that a course adds, and a folder that its exercises share."""
    files = {
        "triple/ask.py": "one = 1",
        "triple/judge/cases.py": "one = 1",
        "triple/answers/wrong.py": "one = 1",
        "common/words.py": "one = 1",
        "other/ask.py": "one = 1",
    }
    for name, text in files.items():
        path = tmp_path / "exercises" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "exercises"


@pytest.mark.parametrize(
    ("changed", "asking", "judging"),
    [
        ("triple/ask.py", True, True),
        ("triple/fixture.txt", True, True),
        ("triple/judge/cases.py", False, True),
        ("triple/judge/fixture.txt", False, True),
        ("triple/answers/wrong.py", False, False),
        ("common/words.py", True, True),
        ("other/ask.py", False, False),
    ],
)
def test_an_exercise_depends_on_its_folder_and_on_what_exercises_share(
    course_exercise, changed, asking, judging
):
    def found():
        return [fingerprints.of_asking("triple"), fingerprints.of_judging("triple")]

    before = found()
    (course_exercise / changed).write_text("two = 2, another size")
    assert [one != other for one, other in zip(before, found(), strict=True)] == [asking, judging]


def test_an_upgraded_package_of_the_course_is_no_other_environment():
    """It counts by its files: what changed in it, and nothing else."""
    fingerprints.of_environment.cache_clear()
    found = {fingerprints._named(each)[0] for each in fingerprints.distributions()}
    assert {"nbjudge", "formatlab", "formatlab-exercises"} <= found
    before, real = fingerprints.of_environment(), fingerprints._named
    for package, is_same in (("formatlab", True), ("numpy", False)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(
                fingerprints,
                "_named",
                lambda each, package=package: (
                    (package, "999") if real(each)[0] == package else real(each)
                ),
            )
            fingerprints.of_environment.cache_clear()
            assert (fingerprints.of_environment() == before) is is_same
    fingerprints.of_environment.cache_clear()


def test_marks_that_were_fed_back_stay_until_they_are_asked_for(first, again, jobs, monkeypatch):
    page = again.feedback / SOLVED / ASSIGNMENT / "inspect.html"
    page.parent.mkdir(parents=True)
    page.write_text("<p>what feedback wrote</p>")
    change(monkeypatch, "of_judging", "inspect")
    kept = grade(again)
    assert marks(kept) == marks(first[1]) and not jobs
    assert kept.kept == {
        SOLVED: "what judges the exercise changed: the stored answers are checked again"
    }
    heard = []
    asked = coordinator.grade(
        again,
        coordinator.GradingRequest(ASSIGNMENT, seed=50, jobs=1, regrade=True),
        lambda event, _count, result: heard.append((event, result)),
    )
    assert asked.why and not asked.kept and jobs[CHECKER]
    assert "changed" not in dict(heard)  # the mark is what it was


def test_work_that_is_handed_in_anew_is_graded_although_marks_were_fed_back(again, jobs):
    page = again.feedback / SOLVED / ASSIGNMENT / "inspect.html"
    page.parent.mkdir(parents=True)
    page.write_text("<p>what feedback wrote</p>")
    notebook = again.submitted / SOLVED / ASSIGNMENT / "inspect.ipynb"
    edited = json.loads(notebook.read_text())
    edited["cells"][-1]["source"] = [*edited["cells"][-1]["source"], "\n# once more"]
    notebook.write_text(json.dumps(edited))
    assert not grade(again).kept and jobs[RUNNER]
