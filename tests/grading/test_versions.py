"""Submissions of notebooks that were published again since they were fetched."""

import json
from types import SimpleNamespace

import pytest

from nbjudge.course.publish import publish
from nbjudge.course.release import release
from nbjudge.grading.gradebook import record
from nbjudge.grading.run import coordinator
from nbjudge.grading.submission import handed_in
from tests.grading import small
from tests.grading.small import ASSIGNMENT, NOTEBOOK, RIGHT, TEST


def notebook(text: str, points: float, *more: dict) -> dict:
    test = small.code("test", TEST, small.meta("test-square", points))
    return small.notebook([small.markdown("intro", text), test, *more])


@pytest.mark.parametrize(
    ("then", "claimed", "used"),
    [
        (notebook("Old words.", 3), "old", "old"),
        (notebook("Old words.", 4), "old", "new"),
        (notebook("Words.", 3, small.code("b", "", small.meta("b", 1))), "old", "new"),
        (notebook("Old words.", 3), "forged", "new"),
        (notebook("Old words.", 3), None, "new"),
    ],
    ids=["other words", "other points", "one cell more", "unknown", "none"],
)
def test_a_notebook_is_of_the_version_that_it_claims_if_marks_are_the_same(then, claimed, used):
    today = notebook("New words.", 3)
    for version, each in (("old", then), ("new", today)):
        each["metadata"]["nbjudge"] = {"version": version}
    skeletons = {"first": {NOTEBOOK: then}, "second": {NOTEBOOK: today}}
    task = SimpleNamespace(skeletons=skeletons, current="second", skeleton=skeletons["second"])
    fetched = handed_in._holding(task, NOTEBOOK, claimed)
    assert handed_in._fitting(task, NOTEBOOK, fetched) == {"old": "first", "new": "second"}[used]


def test_a_notebook_that_did_not_change_is_of_todays_version():
    """Another notebook of the assignment was published again; hidden tests are today's."""
    same = notebook("Words.", 3)
    same["metadata"]["nbjudge"] = {"version": "same"}
    skeletons = {"first": {NOTEBOOK: same}, "second": {NOTEBOOK: same}}
    task = SimpleNamespace(skeletons=skeletons, current="second", skeleton=skeletons["second"])
    assert handed_in._holding(task, NOTEBOOK, "same") == "second"


@pytest.mark.slow
def test_points_are_those_of_today(tmp_path):
    """Nobody had handed in when a test was made worth less; one student still has the notebook of
    before, and says so.
    """
    project, course = small.published(tmp_path)
    fetched = small.answered(project, {"square": RIGHT})
    changed = small.cells()
    changed[2] = small.code("test", TEST, small.meta("test-square", 1))
    changed.append(small.code("more", "assert square(1) == 1", small.meta("test-more", 1)))
    small.write(project, changed)
    release(project)
    publish(course, project, exchange=False)
    folder = course.submitted / "ada" / ASSIGNMENT
    folder.mkdir(parents=True)
    (folder / f"{NOTEBOOK}.ipynb").write_text(json.dumps(fetched))
    [ada] = coordinator.grade(course, coordinator.GradingRequest(ASSIGNMENT)).submissions
    tests = {name: ada.cells[f"{NOTEBOOK}/{name}"].score for name in ("test-square", "test-more")}
    assert tests == {"test-square": 1.0, "test-more": 1.0}
    assert (ada.status, ada.max_score) == ("graded", 7.0)
    assert record.submission_score(course, ASSIGNMENT, "ada") == 2.0
