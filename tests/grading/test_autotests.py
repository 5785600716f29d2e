"""nbgrader's autotests: a comment in the source, asserts in what is released and graded."""

from nbgrader.api import Gradebook
from small import ASSIGNMENT, NOTEBOOK, RIGHT, WRONG, cells, hand_in, notebook, write

from autograder.course.publish import publish, with_saved_tests
from autograder.course.release import release
from autograder.grading import coordinator, record
from autograder.grading.folders import Course, Project
from autograder.grading.skeletons import Skeleton

COMMENT, ASSERT = "### AUTOTEST square(3)", "assert square(3) == 9"
TEMPLATES = """
python3:
  setup: ""
  dispatch: "type({{snippet}})"
  normalize: "str({{snippet}})"
  check: 'assert str({{snippet}}) == "{{value}}", "{{message}}"'
  success: ""
  templates:
    default:
      - test: "{{snippet}}"
        fail: "the value is wrong"
"""


def test_the_test_that_nbgrader_saved_decides(tmp_path):
    course = Course.at(tmp_path)
    with Gradebook(course.gradebook_url, course.course_id) as book:
        book.add_assignment(ASSIGNMENT)
        book.add_notebook(NOTEBOOK, ASSIGNMENT)
        book.add_source_cell("test-square", NOTEBOOK, ASSIGNMENT, cell_type="code", source=ASSERT)
    authored = {NOTEBOOK: notebook(cells(COMMENT))}
    skeleton = Skeleton(ASSIGNMENT, "1", authored, authored, {})
    assert with_saved_tests(course, skeleton).tests() == {NOTEBOOK: {"test-square": ASSERT}}


def test_wrong_answers_get_nothing_from_an_autotest(tmp_path):
    project, course = Project(tmp_path / "checkout"), Course.at(tmp_path / "course")
    write(project, cells(COMMENT))
    (project.solutions / ASSIGNMENT / "autotests.yml").write_text(TEMPLATES)
    release(project)
    publish(course, project, exchange=False)
    for student, source in {"ada": RIGHT, "bob": WRONG}.items():
        hand_in(project, course, student, {"square": source})
    coordinator.grade(course, coordinator.Order(ASSIGNMENT))
    assert record.submission_score(course, ASSIGNMENT, "ada") == 3
    assert record.submission_score(course, ASSIGNMENT, "bob") == 0
