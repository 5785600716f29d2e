"""Submissions of notebooks that were published again since they were fetched."""

import json

import small
from small import ASSIGNMENT, NOTEBOOK, RIGHT, TEST

from autograder.course.publish import publish
from autograder.course.release import release
from autograder.grading import coordinator, record


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
    [ada] = coordinator.grade(course, coordinator.Order(ASSIGNMENT)).submissions
    tests = {name: ada.cells[f"{NOTEBOOK}/{name}"].score for name in ("test-square", "test-more")}
    assert tests == {"test-square": 1.0, "test-more": 1.0}
    assert (ada.status, ada.max_score) == ("graded", 7.0)
    assert record.submission_score(course, ASSIGNMENT, "ada") == 2.0
