"""A new gradebook."""

import sqlite3

from nbgrader.api import Gradebook

from nbjudge.grading.config.folders import Course
from nbjudge.grading.gradebook import database


def test_it_is_the_one_that_nbgrader_makes_and_takes_no_process(
    empty_gradebook, tmp_path, monkeypatch
):
    course = Course.at(tmp_path)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("nbgrader.api.get_alembic_version", None)
    database.make(course)
    Gradebook(course.gradebook_url, course.course_id).close()
    assert said(course.gradebook) == said(empty_gradebook)


def test_one_that_is_there_stays(empty_gradebook, tmp_path):
    course = Course.at(tmp_path)
    course.gradebook.write_bytes(empty_gradebook.read_bytes())
    database.make(course)
    assert course.gradebook.read_bytes() == empty_gradebook.read_bytes()


def said(path):
    """Its tables and indexes as SQL, the version of its tables, and its courses."""
    with sqlite3.connect(path) as book:
        return [
            sorted(book.execute(query).fetchall())
            for query in (
                "SELECT type, name, sql FROM sqlite_master WHERE sql NOT NULL",
                f"SELECT version_num FROM {database.VERSION}",
                "SELECT id FROM course",
            )
        ]
