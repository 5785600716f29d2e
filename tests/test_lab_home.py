"""The student's course home: what a new release may change in it, and what it may not."""

import json
import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import nbformat
import pytest
from nbformat import v4
from nbformat.sign import NotebookNotary

from nbjudge.grading.config.folders import FolderError
from nbjudge.lab import server
from nbjudge.lab.home import Copies, Home, update

LAB = "labs/day-50/dropout.ipynb"
REFERENCES = "labs/day-50/references/dropout.safetensors"
READING = "notebooks/day-50/05-graph-surgery.ipynb"


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    notebook = v4.new_notebook(cells=[v4.new_markdown_cell(text, id="only")])
    path.write_text(nbformat.writes(notebook) if path.suffix == ".ipynb" else text)


def text(path: Path) -> str:
    return (
        nbformat.read(path, as_version=4).cells[0].source
        if path.suffix == ".ipynb"
        else path.read_text()
    )


@pytest.fixture
def project(tmp_path) -> Path:
    for name in (
        LAB,
        REFERENCES,
        READING,
        "labs/day-50/.ipynb_checkpoints/dropout-checkpoint.ipynb",
        "solutions/day-50/dropout.ipynb",
    ):
        write(tmp_path / "project" / name, "first release")
    return tmp_path / "project"


@pytest.fixture
def home(tmp_path, project) -> Home:
    home = Home(tmp_path / "home")
    assert update(home, project) == Copies(fresh=[LAB, REFERENCES, READING])
    return home


def test_labs_and_reading_notebooks_are_copied_and_nothing_else(home):
    files = {
        path.relative_to(home.root).as_posix()
        for path in home.root.rglob("*")
        if path.is_file() and home.private not in path.parents
    }
    assert files == {LAB, REFERENCES, READING}


def test_a_second_start_changes_nothing(home, project):
    before = {path: path.stat().st_mtime_ns for path in home.root.rglob("*.ipynb")}
    assert update(home, project) == Copies()
    assert {path: path.stat().st_mtime_ns for path in home.root.rglob("*.ipynb")} == before


def test_edited_work_is_kept_and_the_rest_follows_the_release(home, project):
    write(home.root / LAB, "my answer")
    write(project / LAB, "second release")
    write(project / REFERENCES, "second release")
    assert update(home, project) == Copies(fresh=[REFERENCES], outdated=[LAB])
    assert text(home.root / LAB) == "my answer"
    assert text(home.root / REFERENCES) == "second release"
    assert update(home, project) == Copies(outdated=[LAB])


def test_edited_work_is_no_news_while_the_release_stays(home, project):
    write(home.root / LAB, "my answer")
    assert update(home, project) == Copies(yours=[LAB])
    assert text(home.root / LAB) == "my answer"


def test_a_renamed_notebook_makes_room_for_the_release(home, project):
    (home.root / LAB).rename(home.root / "labs/day-50/mine.ipynb")
    assert update(home, project) == Copies(fresh=[LAB])
    assert text(home.root / "labs/day-50/mine.ipynb") == "first release"


def test_a_file_that_was_never_copied_is_not_overwritten(tmp_path, project):
    home = Home(tmp_path / "other")
    write(home.root / LAB, "brought from elsewhere")
    assert LAB in update(home, project).outdated
    assert text(home.root / LAB) == "brought from elsewhere"


@pytest.mark.parametrize("damage", [None, "", "[]", '{"labs', "[" * 100_000])
def test_a_lost_or_damaged_record_costs_no_work(home, project, damage):
    write(home.root / LAB, "my answer")
    (home.private / "copied.json").unlink()
    if damage is not None:
        write(home.private / "copied.json", damage)
    assert update(home, project) == Copies(outdated=[LAB])
    assert text(home.root / LAB) == "my answer"
    assert set(json.loads((home.private / "copied.json").read_text())) == {REFERENCES, READING}


def test_copies_are_trusted_so_that_drawings_show(home):
    notary = NotebookNotary(data_dir=str(home.data))
    assert notary.check_signature(nbformat.read(home.root / READING, as_version=4))
    write(home.root / READING, "something else")
    assert not notary.check_signature(nbformat.read(home.root / READING, as_version=4))


@pytest.mark.parametrize("data", [b"{", b"[]", b"\xff", b'{"cells": [{}], "nbformat": 4}'])
def test_a_damaged_notebook_of_a_release_does_not_keep_the_others_away(tmp_path, project, data):
    (project / LAB).write_bytes(data)
    home = Home(tmp_path / "home")
    assert update(home, project).fresh == [LAB, REFERENCES, READING]
    assert (home.root / LAB).read_bytes() == data


def test_read_only_releases_give_copies_that_can_be_edited(tmp_path, project):
    (project / LAB).chmod(0o444)
    home = Home(tmp_path / "writable")
    update(home, project)
    assert (home.root / LAB).stat().st_mode & 0o600 == 0o600
    assert os.access(home.root / LAB, os.W_OK)


def test_files_of_a_student_do_not_stand_in_for_what_jupyterlab_imports(tmp_path):
    for name in ("random", "json", "tornado"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('mine')")
    # The tests' own way of keeping such files out, which a student has not typed.
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
    start = "import os, nbjudge.lab.server as server; server._become_jupyterlab(['--version'], dict(os.environ))"
    command = [sys.executable, "-P", "-c", start]
    options = {"cwd": tmp_path, "env": variables, "capture_output": True, "text": True}
    done = subprocess.run(command, **options, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, version("jupyterlab")), done


@pytest.fixture
def started(monkeypatch):
    """What JupyterLab would have been started with, and where."""
    seen = []
    monkeypatch.setattr(
        server,
        "_become_jupyterlab",
        lambda arguments, variables: seen.append((os.getcwd(), arguments)),
    )
    return seen


@pytest.mark.parametrize("place", ["elsewhere", "project"])
def test_an_instructor_s_lab_opens_on_the_course_folder_from_any_folder(
    tmp_path, project, started, monkeypatch, place
):
    """A course that was published into names the project's notebooks itself."""
    (project / "pyproject.toml").touch()
    for folder in ("elsewhere", "data/course"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "data/course/nbgrader_config.py").write_text("c = get_config()\n")
    monkeypatch.chdir(tmp_path / place)
    server.launch(port=8888, browser=False, course=Path("../data/course"))
    ((where, arguments),) = started
    shown = tmp_path if place == "project" else tmp_path / "data/course"
    assert where == str(shown) and f"--ServerApp.root_dir={shown}" in arguments


def test_a_course_folder_in_a_project_is_opened_with_it_from_any_folder(
    tmp_path, project, started, monkeypatch
):
    (project / "pyproject.toml").touch()
    monkeypatch.chdir(tmp_path)
    server.launch(browser=False, course=project / "course-data")
    assert started[0][0] == str(project)
    settings = (project / "course-data/nbgrader_config.py").read_text()
    assert f"source_directory = {str(project / 'solutions')!r}" in settings


def test_where_there_is_no_course_folder_none_is_made(tmp_path, started, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FolderError, match="name yours with --course"):
        server.launch(browser=False, course=Path("course-data"))
    assert not started and not any(tmp_path.iterdir())
