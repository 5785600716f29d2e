"""All commands of a course use one exchange, whatever terminal they are typed in; what is wrong with
it is said to whoever typed the command.
"""

import contextlib
import os
import pwd
import subprocess
import sys
from pathlib import Path

import pytest
from nbgrader.auth import Authenticator
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange.default import ExchangeFetchAssignment
from typer.testing import CliRunner

from nbjudge.cli import app
from nbjudge.course import submitting
from nbjudge.course.release import release
from nbjudge.grading.config.folders import COURSE_ID, EXCHANGE, Course, Project
from tests.grading import small
from tests.grading.small import ASSIGNMENT


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A project with a released assignment, and the command typed in it: `place(words, X=...)`."""
    monkeypatch.delenv(EXCHANGE, raising=False)
    project = Project(tmp_path / "project")
    small.write(project, small.cells())
    release(project)

    def type_(*words, **variables):
        with contextlib.chdir(project.root), pytest.MonkeyPatch.context() as patch:
            for name, value in variables.items():
                patch.setenv(name, str(value))
            return CliRunner().invoke(app, [str(word) for word in words])

    type_.course = Course.at(project.root / "course-data")
    return type_


def as_student(home, course, exchange, action):
    config = small.student_config(home, course)
    config.Exchange.root = str(exchange)
    with contextlib.chdir(home):
        action(
            coursedir=CourseDirectory(config=config),
            authenticator=Authenticator(config=config),
            config=config,
        ).start()


def ok(done):
    assert done.exit_code == 0, done.output
    return done


def refused(done) -> str:
    assert done.exit_code == 2 and done.stderr.count("\n") == 1, done.output
    assert "contact your instructor" not in done.stderr, done.stderr
    assert "Ask your instructor" not in done.stderr, done.stderr
    return done.stderr


@pytest.mark.parametrize("own", [None, "c.CourseBudget.cell = 30\n", "json"])
def test_what_was_published_with_a_variable_is_collected_and_returned_without_it(
    place, tmp_path, monkeypatch, own
):
    shared, course = tmp_path / "shared", place.course
    course.root.mkdir()
    if own == "json":
        (course.root / "nbgrader_config.json").write_text('{"CourseBudget": {"cell": 30}}')
    elif own:
        (course.root / "nbgrader_config.py").write_text(own)
    ok(place("publish", ASSIGNMENT, AUTOGRADER_EXCHANGE=shared, AUTOGRADER_COURSE_ID="ml-x"))
    assert course.exchange == shared and course.course_id == "ml-x"
    assert course.settings.CourseBudget.get("cell") == (30 if own else None)

    home = tmp_path / "ada"
    home.mkdir()
    monkeypatch.setenv("AUTOGRADER_COURSE_ID", "ml-x")
    monkeypatch.setattr(small, "COURSE_ID", "ml-x")
    as_student(home, course, shared, ExchangeFetchAssignment)
    monkeypatch.chdir(home)
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(home / "data"))
    submitting.submit(home / ASSIGNMENT, shared)
    monkeypatch.delenv("AUTOGRADER_COURSE_ID")

    assert "collected" in ok(place("collect", ASSIGNMENT)).stdout
    (student,) = [folder.name for folder in course.submitted.iterdir()]
    listed = subprocess.run(
        [sys.executable, "-m", "nbgrader", "list", "--inbound"],
        cwd=course.root,
        capture_output=True,
        text=True,
        check=True,
    )
    assert f"ml-x {student} {ASSIGNMENT}" in listed.stderr
    ok(place("grade", ASSIGNMENT))
    assert str(shared) in ok(place("feedback", ASSIGNMENT, "--send")).stdout
    assert list((shared / "ml-x" / "feedback").glob("*.html"))
    assert not (course.root / "exchange").exists()


def test_a_variable_that_contradicts_the_settings_is_refused_by_both_names(place, tmp_path):
    ok(place("publish", ASSIGNMENT, AUTOGRADER_EXCHANGE=tmp_path / "one"))
    before = sorted(place.course.root.rglob("*"))
    for words in (
        ("publish", ASSIGNMENT),
        ("collect", ASSIGNMENT),
        ("lab", "--instructor", "--no-browser"),
    ):
        said = refused(place(*words, AUTOGRADER_EXCHANGE=tmp_path / "other"))
        assert str(tmp_path / "one") in said and str(tmp_path / "other") in said
        assert "unset AUTOGRADER_EXCHANGE" in said
    assert not (tmp_path / "other").exists() and sorted(place.course.root.rglob("*")) == before
    # The same folder by another path, and commands that need no exchange.
    (tmp_path / "link").symlink_to(tmp_path / "one")
    ok(place("collect", ASSIGNMENT, AUTOGRADER_EXCHANGE=tmp_path / "link"))
    ok(place("due", AUTOGRADER_EXCHANGE=tmp_path / "other"))


def test_what_a_contradiction_advises_helps(place, tmp_path):
    ok(place("publish", ASSIGNMENT, AUTOGRADER_EXCHANGE=tmp_path / "one"))
    said = refused(place("collect", ASSIGNMENT, AUTOGRADER_EXCHANGE=tmp_path / "other"))
    line = said[said.index("c.Exchange.root = ") :].split(" into ")[0]
    with open(place.course.root / "nbgrader_config.py", "a") as file:
        file.write(line + "\n")
    ok(place("publish", ASSIGNMENT, AUTOGRADER_EXCHANGE=tmp_path / "other"))
    ok(place("collect", ASSIGNMENT))


def test_an_exchange_that_is_not_there_is_the_instructor_s_to_mend(place, tmp_path):
    shared = tmp_path / "shared"
    ok(place("publish", ASSIGNMENT, AUTOGRADER_EXCHANGE=shared))
    shared.rename(tmp_path / "away")
    said = refused(place("collect", ASSIGNMENT))
    assert str(shared) in said and "nbgrader_config.py" in said and "course publish" in said
    shared.mkdir()
    said = refused(place("collect", ASSIGNMENT))
    assert f"holds nothing of the course '{COURSE_ID}'" in said
    ok(place("publish", ASSIGNMENT))
    ok(place("collect", ASSIGNMENT))


def test_an_exchange_that_cannot_be_made_stops_publishing_before_it_begins(place, tmp_path):
    (tmp_path / "file").write_text("")
    said = refused(place("publish", ASSIGNMENT, AUTOGRADER_EXCHANGE=tmp_path / "file" / "exchange"))
    assert "cannot be made" in said and "Nothing was published" in said
    assert not place.course.gradebook.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="needs another account")
def test_an_exchange_of_somebody_else_s_is_named(place, tmp_path, monkeypatch):
    shared = tmp_path / "shared"
    ok(place("publish", ASSIGNMENT, AUTOGRADER_EXCHANGE=shared))
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != shared)
    assert f"chmod 777 {shared}" in refused(place("collect", ASSIGNMENT))
    assert f"chmod 777 {shared}" in refused(place("publish", ASSIGNMENT))


def test_an_exchange_whose_owner_is_gone_is_named(place, tmp_path, monkeypatch):
    shared = tmp_path / "shared"
    ok(place("publish", ASSIGNMENT, AUTOGRADER_EXCHANGE=shared))

    def unknown(user):
        raise KeyError(user)

    monkeypatch.setattr(pwd, "getpwuid", unknown)
    said = refused(place("publish", ASSIGNMENT))
    assert f"{shared / COURSE_ID} belongs to the user number" in said and "chown -R" in said


def test_a_student_s_jupyterlab_meets_the_class_where_it_was_published(
    place, tmp_path, monkeypatch
):
    from nbjudge.lab import server

    ok(place("publish", ASSIGNMENT, AUTOGRADER_EXCHANGE=tmp_path / "shared"))
    project = Project(place.course.root.parent)
    (project.root / "notebooks").mkdir()
    _, _, settings, _ = server._for_student(project, tmp_path / "home")
    assert f"c.Exchange.root = {str(tmp_path / 'shared')!r}" in settings
    monkeypatch.setenv(EXCHANGE, str(tmp_path / "told"))
    _, _, settings, _ = server._for_student(project, tmp_path / "home")
    assert f"c.Exchange.root = {str(tmp_path / 'told')!r}" in settings
