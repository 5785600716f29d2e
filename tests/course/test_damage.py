"""A real course folder, each of its files damaged in each way, and each command typed on it: one
line, nothing lost.

Damages that a command can live with end with 0 or 3; everything else says what, where and what to
type, and ends with 2.
"""

import itertools
import json
import os
import random
import shutil
import sqlite3
from pathlib import Path

import pytest
from typer.testing import CliRunner

from nbjudge.cli import app
from nbjudge.course.publish import publish
from nbjudge.course.release import release
from nbjudge.grading.config.folders import Course, Project
from nbjudge.grading.published import seed
from nbjudge.grading.run import coordinator

TEST = "assert double(2) == 4\n### BEGIN HIDDEN TESTS\nassert double(3) == 6\n### END HIDDEN TESTS"
HOMEWORK = "hw"
pytestmark = pytest.mark.xdist_group("damage")


def notebook(*cells):
    """A plain assignment: its answer, and a cell of asserts. It is the smallest that goes the whole
    way.
    """
    made = []
    for number, (source, grade_id, points) in enumerate(cells):
        mark = {
            "schema_version": 3,
            "grade_id": grade_id,
            "grade": points > 0,
            "solution": not points,
            "locked": points > 0,
            "task": False,
        }
        mark |= {"points": points} if points else {}
        cell = {
            "cell_type": "code",
            "id": f"c{number}",
            "metadata": {"nbgrader": mark},
            "source": source,
        }
        made.append(cell | {"outputs": [], "execution_count": None})
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": kernel}, "cells": made}


SOLVED = "### BEGIN SOLUTION\ndef double(x):\n    return 2 * x\n### END SOLUTION"


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """A project with one plain assignment, and a course folder where it was published, handed in
    and graded; made once.
    """
    root = tmp_path_factory.mktemp("world")
    (root / "project" / "solutions" / HOMEWORK).mkdir(parents=True)
    (root / "project" / "pyproject.toml").touch()
    document = notebook((SOLVED, "double", 0), (TEST, "test-double", 2))
    (root / "project" / "solutions" / HOMEWORK / "double.ipynb").write_text(json.dumps(document))
    project, course = Project(root / "project"), Course.at(root / "project" / "course-data")
    release(project)
    publish(course, project)
    submitted = course.submitted / "ada" / HOMEWORK
    submitted.mkdir(parents=True)
    answer = (
        (project.labs / HOMEWORK / "double.ipynb")
        .read_text()
        .replace("raise NotImplementedError()", "double = lambda x: 2 * x")
    )
    (submitted / "double.ipynb").write_text(answer)
    (submitted / "timestamp.txt").write_text("2026-11-01 08:00:00 UTC")
    report = coordinator.grade(course, coordinator.GradingRequest(HOMEWORK))
    assert [(one.student, one.score) for one in report.submissions] == [("ada", 2.0)]
    return root


def truncated(path):
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def of_another_type(path):
    path.unlink()
    path.mkdir()


def of_a_newer_version(path):
    """What a later release could have written there: well-formed, and not what this one knows."""
    if path.suffix == ".db":
        with sqlite3.connect(path) as book:
            book.execute("UPDATE alembic_version SET version_num = 'ffffffffffff'")
    elif path.suffix in (".json", ".ipynb") or path.parent.name == "seeds":
        path.write_text(json.dumps({"format": 99, "nbformat": 99, "version": 99, "cells": {}}))
    else:
        path.write_text("version = 99\n")


DAMAGES = {
    "missing": lambda path: path.unlink(),
    "empty": lambda path: path.write_bytes(b""),
    "truncated": truncated,
    "a list": lambda path: path.write_text("[]"),
    "random": lambda path: path.write_bytes(random.Random(0).randbytes(200)),
    "another type": of_another_type,
    "read-only": lambda path: path.chmod(0o400),
    "newer": of_a_newer_version,
}
COMMANDS = {
    "grade": ["grade", HOMEWORK],
    "export": ["export", "grades.csv", "--by", "question"],
    "feedback": ["feedback", HOMEWORK],
    "publish": ["publish", HOMEWORK],
    "collect": ["collect", HOMEWORK],
}
# Every file that a command of ours reads, by what it is: a pattern below the course folder.
PLACES = {
    "gradebook": "gradebook.db",
    "settings": "nbgrader_config.py",
    "seed": ".nbjudge/seeds/hw",
    "journal": ".nbjudge/journal/hw/*/entry.json",
    "recorded": ".nbjudge/journal/hw/*/recorded",
    "documents": ".nbjudge/journal/hw/*/documents.json",
    "pointer": ".nbjudge/skeletons/hw/current",
    "manifest": ".nbjudge/skeletons/hw/*/manifest.json",
    "skeleton": ".nbjudge/skeletons/hw/*/release/double.ipynb",
    "solution": ".nbjudge/skeletons/hw/*/solutions/double.ipynb",
    "submission": "submitted/ada/hw/double.ipynb",
    "time": "submitted/ada/hw/timestamp.txt",
    "record": "autograded/ada/hw/double.ipynb",
}
ALL = list(itertools.product(PLACES, DAMAGES, COMMANDS))
# What was found broken once, and one of each damage and command.
SOME = [
    ("gradebook", "truncated", "feedback"),
    ("gradebook", "empty", "export"),
    ("gradebook", "newer", "collect"),
    ("settings", "random", "export"),
    ("seed", "truncated", "grade"),
    ("journal", "a list", "grade"),
    ("documents", "truncated", "grade"),
    ("recorded", "random", "grade"),
    ("skeleton", "truncated", "grade"),
    ("skeleton", "truncated", "publish"),
    ("pointer", "another type", "grade"),
    ("pointer", "missing", "grade"),
    ("gradebook", "missing", "export"),
]


@pytest.fixture
def folder(world, tmp_path, monkeypatch):
    """The course's project as a copy of its own. Paths that were written into it are those of the
    copy, too.
    """
    project = shutil.copytree(world / "project", tmp_path / "project", symlinks=True)
    config = project / "course-data" / "nbgrader_config.py"
    config.write_text(config.read_text().replace(str(world), str(tmp_path)))
    monkeypatch.chdir(project)
    return project / "course-data"


def kept(root: Path, damaged: Path) -> dict[str, bytes]:
    """What no command may lose: all that students handed in, and every file of the store."""
    files = (
        path
        for part in ("submitted", ".nbjudge/seeds")
        for path in (root / part).rglob("*")
        if path.is_file() and path != damaged
    )
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in files}


def damage_holds(folder, place, damage, command):
    (path,) = folder.glob(PLACES[place])
    DAMAGES[damage](path)
    before, pages = kept(folder, path), sorted((folder / "feedback").rglob("*.html"))
    done = CliRunner().invoke(app, COMMANDS[command])
    told = f"{place} {damage}, {command}: {done.exit_code}\n{done.stdout}\n{done.stderr}"
    assert done.exception is None or isinstance(done.exception, SystemExit), told
    assert done.exit_code in (0, 2, 3), told
    assert "Traceback" not in done.output and "a bug of ours" not in done.output, told
    if done.exit_code == 2:
        line = done.stderr.splitlines()[-1]
        assert line.startswith("course: ") and done.stderr.count("\n") == 1, told
        assert any(
            word in line
            for word in ("type", "restore", "mend", "move", "name ", "install", "give", "make ")
        ), told
        assert sorted((folder / "feedback").rglob("*.html")) == pages, told
    after = kept(folder, path)
    assert {name: after.get(name) for name in before} == before, told
    return done


@pytest.mark.parametrize(
    ("place", "damage", "command"), SOME, ids=lambda word: word.replace(" ", "-")
)
def test_a_damaged_file_is_one_line(folder, place, damage, command):
    done = damage_holds(folder, place, damage, command)
    expected = {("journal", "a list"): 0, ("documents", "truncated"): 0, ("skeleton", "publish"): 0}
    expected |= {("recorded", "random"): 0}
    assert done.exit_code == expected.get((place, damage), expected.get((place, command), 2)), (
        done.output
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("place", "damage", "command"), ALL, ids=lambda word: word.replace(" ", "-")
)
def test_every_damage_to_every_file_is_one_line(folder, place, damage, command):
    damage_holds(folder, place, damage, command)


def test_what_publish_mends_can_be_graded_again(folder):
    """The messages of grading and publishing agree: what the one names, the other does."""
    (path,) = folder.glob(PLACES["skeleton"])
    path.write_text("{}")
    refused = CliRunner().invoke(app, ["grade", HOMEWORK])
    assert (
        refused.exit_code == 2
        and f"type `course publish {HOMEWORK}`, which mends it" in refused.stderr
    )
    mended = CliRunner().invoke(app, ["publish", HOMEWORK])
    assert mended.exit_code == 0 and f"{HOMEWORK}: into the gradebook" in mended.stdout
    assert CliRunner().invoke(app, ["grade", HOMEWORK]).exit_code == 0


def test_a_lost_gradebook_gets_the_marks_that_the_journal_holds(folder):
    (folder / "gradebook.db").unlink()
    assert CliRunner().invoke(app, ["publish", HOMEWORK]).exit_code == 0
    done = CliRunner().invoke(app, ["grade", HOMEWORK])
    assert done.exit_code == 0, done.output
    CliRunner().invoke(app, ["export", "grades.csv"])
    assert (
        "hw,ada" in Path("grades.csv").read_text() and ",2.0,2.0," in Path("grades.csv").read_text()
    )


@pytest.mark.parametrize(
    ("words", "said"), [(["grade", HOMEWORK, "--json"], "results.json"), (["export"], "grades.csv")]
)
def test_a_result_that_could_not_be_written_is_refused_before_the_work(folder, words, said):
    done = CliRunner().invoke(app, [*words, f"nowhere/{said}"])
    assert (
        done.exit_code == 2
        and "there is no folder" in done.stderr
        and said in done.stderr
        and done.stderr.count("\n") == 1
    )
    assert "ada" not in done.output


@pytest.mark.parametrize(
    "text",
    [
        "",
        "7" * 30,
        "-1",
        "1.5",
        "null",
        '{"seed": 1, "id": "x"}',
        '{"seed": 1}',
        "[" * 10_000,
        "12\x00",
    ],
)
def test_a_seed_that_was_altered_is_never_taken_for_another(tmp_path, text):
    course = Course.at(tmp_path)
    number = seed.of_assignment(course, HOMEWORK)
    assert seed.of_assignment(course, HOMEWORK) == number
    path = tmp_path / ".nbjudge" / "seeds" / HOMEWORK
    whole = path.read_bytes()
    for damaged in (text.encode(), whole[:-1], whole[: len(whole) // 2]):
        path.write_bytes(damaged)
        with pytest.raises(seed.SeedError, match="--new-seed"):
            seed.of_assignment(course, HOMEWORK)
    path.write_text("12345")
    assert seed.of_assignment(course, HOMEWORK) == 12345, "as an earlier version stored it"


def test_a_course_folder_that_is_a_file_is_one_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    for command in COMMANDS.values():
        done = CliRunner().invoke(app, [*command, "--course", "file"])
        assert (
            done.exit_code == 2 and "is no folder" in done.stderr and done.stderr.count("\n") == 1
        )
    assert os.listdir(tmp_path) == ["file"]


def test_a_class_is_named_once(folder):
    """`--course-id` reaches the settings, the gradebook and the exchange of a fresh course folder,
    and no other.
    """
    words = ["publish", HOMEWORK, "--course", "second", "--course-id"]
    assert CliRunner().invoke(app, [*words, "ml-b"]).exit_code == 0
    course = Course.at("second")
    assert (
        course.course_id == "ml-b" and (course.exchange / "ml-b" / "outbound" / HOMEWORK).is_dir()
    )
    with sqlite3.connect(course.gradebook) as book:
        assert ("ml-b",) in book.execute("SELECT id FROM course").fetchall()
    assert CliRunner().invoke(app, [*words, "ml-b"]).exit_code == 0
    for name, said in (
        ("ml-c", "belongs to the course 'ml-b'"),
        ("../x", "cannot be a course's id"),
    ):
        refused = CliRunner().invoke(app, [*words, name])
        assert refused.exit_code == 2 and said in refused.stderr and refused.stderr.count("\n") == 1
