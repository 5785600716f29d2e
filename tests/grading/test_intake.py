"""Intake takes regular files within limits, and nothing else, whatever lies in the folder."""

import os
import socket

import pytest

from autograder.grading import intake

ASSIGNMENT = "day-50"


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "submitted" / "ada" / ASSIGNMENT
    folder.mkdir(parents=True)
    return folder


def take(folder, **options):
    return intake.take(folder.parents[1], "ada", ASSIGNMENT, **options)


def test_notebooks_and_the_time_are_taken(folder):
    (folder / "dropout.ipynb").write_bytes(b"{}")
    (folder / "timestamp.txt").write_text("2026-11-21 08:00:00 UTC\n")
    (folder / "notes.md").write_text("mine")
    submission = take(folder)
    assert submission.notebooks == {"dropout": b"{}"}
    assert submission.timestamp == "2026-11-21 08:00:00 UTC"
    assert submission.files == {} and submission.refused == {}
    assert take(folder, with_files=True).files == {"notes.md": b"mine"}


@pytest.mark.parametrize("kind", ["symlink", "hard link", "fifo", "socket", "folder"])
def test_a_notebook_that_is_no_plain_file_is_refused_and_the_others_are_taken(folder, tmp_path, kind):
    secret = tmp_path / "solution.ipynb"
    secret.write_text("the instructor's")
    (folder / "inspect.ipynb").write_bytes(b"{}")
    target = folder / "dropout.ipynb"
    if kind == "symlink":
        target.symlink_to(secret)
    elif kind == "hard link":
        os.link(secret, target)
    elif kind == "fifo":
        os.mkfifo(target)
    elif kind == "socket":
        here = os.getcwd()
        os.chdir(folder)  # a socket's path is limited to 107 bytes
        try:
            socket.socket(socket.AF_UNIX).bind("dropout.ipynb")
        finally:
            os.chdir(here)
    else:
        target.mkdir()
    submission = take(folder)
    assert submission.notebooks == {"inspect": b"{}"}
    assert b"instructor" not in repr(submission).encode()
    if kind != "folder":
        assert "dropout" in submission.refused


def test_a_linked_submission_folder_is_refused_whole(tmp_path):
    real = tmp_path / "elsewhere"
    real.mkdir()
    (real / "dropout.ipynb").write_bytes(b"{}")
    (tmp_path / "submitted" / "ada").mkdir(parents=True)
    (tmp_path / "submitted" / "ada" / ASSIGNMENT).symlink_to(real)
    submission = intake.take(tmp_path / "submitted", "ada", ASSIGNMENT)
    assert submission.notebooks == {} and "*" in submission.refused


def test_links_beside_the_notebooks_are_reported_not_followed(folder):
    (folder / "dropout.ipynb").write_bytes(b"{}")
    (folder / "leak.txt").symlink_to("/etc/passwd")
    submission = take(folder, with_files=True)
    assert submission.files == {} and any("leak.txt" in remark for remark in submission.remarks)


def test_sizes_and_counts_are_capped(folder):
    with open(folder / "dropout.ipynb", "wb") as file:
        file.truncate(intake.MAX_NOTEBOOK + 1)  # sparse: no bytes on disk
    for number in range(intake.MAX_FILES + 10):
        (folder / f"file-{number}").touch()
    submission = take(folder, with_files=True)
    assert "larger than" in submission.refused["dropout"]
    assert len(submission.files) <= intake.MAX_FILES
    assert any("more than" in remark for remark in submission.remarks)


def test_the_digest_changes_with_every_byte_and_name(folder):
    (folder / "dropout.ipynb").write_bytes(b"{}")
    first = take(folder).digest
    assert take(folder).digest == first
    (folder / "dropout.ipynb").write_bytes(b"{ }")
    second = take(folder).digest
    (folder / "dropout.ipynb").rename(folder / "inspect.ipynb")
    assert len({first, second, take(folder).digest}) == 3


def test_students_are_those_with_a_folder_for_the_assignment(tmp_path):
    for path in ("ada/day-50", "ben/lab-7-01", ".hidden/day-50"):
        (tmp_path / path).mkdir(parents=True)
    assert intake.students(tmp_path, ASSIGNMENT) == ["ada"]
    assert intake.students(tmp_path / "missing", ASSIGNMENT) == []
