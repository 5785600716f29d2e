"""`course feedback`: one HTML page per notebook and student, made by nbgrader from the recorded notebooks, text only."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

from nbgrader.converters import GenerateFeedback
from nbgrader.converters.base import NbGraderException
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange import ExchangeError
from nbgrader.exchange.default import ExchangeReleaseFeedback
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import List

from autograder.course import config as course_config
from autograder.grading import rubric
from autograder.grading.folders import Course


class WithoutRubrics(NbGraderPreprocessor):
    """Leave out the cells that are for the marker."""

    def preprocess(self, nb, resources):
        nb.cells = [cell for cell in nb.cells if not rubric.is_rubric(cell)]
        return nb, resources


class StudentFeedback(GenerateFeedback):
    """nbgrader's GenerateFeedback, for students' eyes."""

    preprocessors = List([WithoutRubrics, *GenerateFeedback.preprocessors.default()]).tag(config=True)


class FeedbackError(RuntimeError):
    """Feedback could not be made. The text says why, and what to do."""


def feedback(course: Course, assignment: str, students: Sequence[str] = ()) -> list[Path]:
    """Write `feedback/<student>/<assignment>/*.html` for every graded submission. Returns the pages. Raises FeedbackError."""
    if not any(course.autograded.glob(f"*/{assignment}/*.ipynb")):
        raise FeedbackError(f"nothing of {assignment} is graded in {course.root}: type `course grade {assignment}` first")
    logging.getLogger("traitlets").setLevel(logging.ERROR)
    for student in students or ["*"]:
        config = course_config.config(course)
        config.CourseDirectory.assignment_id = assignment
        config.CourseDirectory.student_id = student
        try:
            StudentFeedback(coursedir=CourseDirectory(config=config), config=config, force=True).start()
        except NbGraderException as error:
            raise FeedbackError(f"nbgrader could not make the feedback of {student}: {error}") from None
    return sorted(course.feedback.glob(f"*/{assignment}/*.html"))


def return_feedback(course: Course, assignment: str) -> None:
    """Put the pages into the exchange, for students to fetch in JupyterLab. Raises FeedbackError."""
    config = course_config.config(course)
    config.CourseDirectory.assignment_id = assignment
    try:
        ExchangeReleaseFeedback(coursedir=CourseDirectory(config=config), config=config).start()
    except ExchangeError as error:
        raise FeedbackError(f"the exchange at {course.exchange} refuses the feedback: {error}") from None
