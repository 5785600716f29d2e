"""Every command ends in one line, and a bug of ours says so and leaves a file."""

import errno
import os
import sqlite3
from pathlib import Path

import pytest
import typer
from sqlalchemy.exc import DatabaseError
from typer.testing import CliRunner

from nbjudge.cli import app
from nbjudge.failures import ADVICE, OneLine, explain
from nbjudge.grading.config.folders import FolderError


def ended(error):
    app = typer.Typer(cls=OneLine)

    @app.command()
    def one():
        raise error

    @app.command()
    def other():
        pass

    return CliRunner().invoke(app, ["one"])


@pytest.mark.parametrize("number", ADVICE, ids=errno.errorcode.get)
def test_an_error_of_the_machine_names_the_place_and_what_to_do(number):
    done = ended(OSError(number, os.strerror(number), "/somewhere\nelse\x1b[2J"))
    assert (
        done.exit_code == 2 and done.stderr.count("\n") == 1 and done.stderr.strip().isprintable()
    )
    assert (
        os.strerror(number) in done.stderr
        and "/somewhere else" in done.stderr
        and "type" in done.stderr
    )


@pytest.mark.parametrize(
    ("said", "advice"),
    [
        ("database is locked", "wait"),
        ("database or disk is full", "make room"),
        ("attempt to write a readonly database", "right to it"),
        ("no such column: student.lms_user_id", "nbgrader db upgrade"),
        ("database disk image is malformed", "backup"),
    ],
)
def test_an_error_of_the_gradebook_is_put_into_words(said, advice):
    for error in (
        sqlite3.OperationalError(said),
        DatabaseError("SELECT 1\nFROM x", {}, sqlite3.OperationalError(said)),
    ):
        text, status = explain(error)
        assert status == 2 and said in text and advice in text and "SELECT" not in text


def test_a_problem_of_ours_speaks_for_itself_on_one_line():
    done = ended(FolderError("this\n  is wrong: type that"))
    assert (done.exit_code, done.stderr) == (2, "course: this is wrong: type that\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nope"], "No such command 'nope': type `course --help`"),
        (["--nope"], "No such option: --nope: type `course --help`"),
        (["collect"], "Missing argument 'assignment': type `course collect --help`"),
        (["grade", "day-50", "--jobs", "two\x1b[2J\n"], "type `course grade --help`"),
        (["gradebook", "copy"], "Missing option '--to': type `course gradebook copy --help`"),
    ],
    ids=["command", "option", "argument", "value", "command of commands"],
)
def test_what_is_typed_wrong_is_one_line_too(words, said):
    done = CliRunner().invoke(app, words, prog_name="course")
    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith("course: ") and said in done.stderr
    assert done.stderr.strip().isprintable()


def test_a_bug_is_called_one_and_leaves_a_file_for_us(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    done = ended(KeyError("no\udcff"))
    (log,) = tmp_path.glob("course-bug-*.log")
    assert (
        done.exit_code == 3
        and "a bug of ours (KeyError)" in done.stderr
        and str(log) in done.stderr
    )
    assert b"Traceback" in log.read_bytes() and log.stat().st_mode & 0o077 == 0


def test_a_bug_on_a_full_disk_is_still_one_line(tmp_path, monkeypatch):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("tempfile.mkstemp", full)
    done = ended(ZeroDivisionError("division by zero"))
    assert (
        done.exit_code == 3 and "ZeroDivisionError: division by zero" in done.stderr
    ) or "division by zero" in done.stderr
    assert done.stderr.count("\n") == 1 and not list(Path(tmp_path).iterdir())


def test_what_is_typed_wrong_is_still_explained_by_the_command_line():
    app = typer.Typer(cls=OneLine)

    @app.command()
    def one(number: int):
        raise typer.Exit(number)

    @app.command()
    def other():
        pass

    assert CliRunner().invoke(app, ["one", "7"]).exit_code == 7
    wrong = CliRunner().invoke(app, ["one", "x"])
    assert (
        wrong.exit_code == 2 and "'number'" in wrong.output and "a bug of ours" not in wrong.output
    )
