"""A new gradebook."""

import sqlite3

from nbgrader.api import Gradebook

from nbjudge.grading import gradebook
from nbjudge.grading.folders import Course


def test_it_is_the_one_that_nbgrader_makes_and_takes_no_process(
    empty_gradebook, tmp_path, monkeypatch
):
    course = Course.at(tmp_path)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("nbgrader.api.get_alembic_version", None)
    gradebook.make(course)
    Gradebook(course.gradebook_url, course.course_id).close()
    assert said(course.gradebook) == said(empty_gradebook)


def test_one_that_is_there_stays(empty_gradebook, tmp_path):
    course = Course.at(tmp_path)
    course.gradebook.write_bytes(empty_gradebook.read_bytes())
    gradebook.make(course)
    assert course.gradebook.read_bytes() == empty_gradebook.read_bytes()


def said(path):
    """Its tables and indexes as SQL, the version of its tables, and its courses."""
    with sqlite3.connect(path) as book:
        return [
            sorted(book.execute(query).fetchall())
            for query in (
                "SELECT type, name, sql FROM sqlite_master WHERE sql NOT NULL",
                f"SELECT version_num FROM {gradebook.VERSION}",
                "SELECT id FROM course",
            )
        ]
