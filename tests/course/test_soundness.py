"""A course folder is looked at before it is worked on; small things that an instructor meets."""

import os
import sqlite3
import zipfile
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

from nbjudge.course.soundness import Unsound, require_sound, require_target
from nbjudge.grading.config.folders import Course
from nbjudge.grading.execution.runner import CellRun
from nbjudge.grading.marks import plain_tests
from nbjudge.lab.server import common_root

ROOT = Path(__file__).resolve().parents[2]


def test_a_gradebook_is_sound_and_looking_changes_nothing(course):
    before = course.gradebook.read_bytes()
    require_sound(course, gradebook=True)
    assert course.gradebook.read_bytes() == before and os.listdir(course.root) == ["gradebook.db"]
    require_sound(Course.at(course.root / "fresh"))
    assert not (course.root / "fresh").exists()


@pytest.mark.parametrize(
    ("version", "advice"),
    [
        ("ffffffffffff", "newer nbgrader"),
        ("50a4d84c131a", "nbgrader db upgrade"),
        (None, "nbgrader db upgrade"),
    ],
)
def test_a_gradebook_of_another_nbgrader_is_named(course, version, advice):
    with sqlite3.connect(course.gradebook) as book:
        book.execute(
            f"UPDATE alembic_version SET version_num = '{version}'"
            if version
            else "DROP TABLE alembic_version"
        )
    with pytest.raises(Unsound, match=advice):
        require_sound(course)


def test_a_gradebook_with_a_broken_page_is_named(course):
    data = bytearray(course.gradebook.read_bytes())
    data[5000:9000] = b"\xff" * 4000
    course.gradebook.write_bytes(data)
    with pytest.raises(Unsound, match="is damaged") as problem:
        require_sound(course)
    assert str(problem.value).isprintable() and "backup" in str(problem.value)


def test_a_file_that_cannot_be_written_is_named(tmp_path):
    require_target(tmp_path / "grades.csv")
    (tmp_path / "folder").mkdir()
    for path, said in (
        (tmp_path / "nowhere" / "x", "there is no folder"),
        (tmp_path / "folder", "is a folder"),
    ):
        with pytest.raises(Unsound, match=said):
            require_target(path)


@pytest.mark.parametrize(
    ("project", "course", "shown"),
    [
        ("/srv/teach/course", "/srv/teach/course/course-data", "/srv/teach/course"),
        ("/srv/teach/course", "/srv/teach/data", "/srv/teach"),
        ("/srv/teach/course", "/var/data/class", "/var/data/class"),
        ("/srv/a", "/srv/b", "/srv/b"),
        ("{home}/a", "{home}/b", "{home}/b"),
    ],
)
def test_the_instructor_s_file_browser_never_shows_the_whole_disk_or_home(project, course, shown):
    project, course, shown = (
        Path(text.format(home=Path.home())) for text in (project, course, shown)
    )
    assert common_root(project, course) == shown


def test_a_bare_assert_is_a_reason_by_its_name():
    def error(text):
        return [
            {"output_type": "error", "ename": "AssertionError", "evalue": text, "traceback": []}
        ]

    assert plain_tests.grade_cell(CellRun("error", error("")), 1.0).found == "AssertionError"
    assert plain_tests.grade_cell(CellRun("error", error("x")), 1.0).found == "AssertionError: x"


@pytest.mark.parametrize(
    ("folder", "holds"),
    [
        ("autograder", ["nbjudge/requirements.lock", "nbjudge/cli.py"]),
        ("workbench", ["formatlab/measure/recorded/timer-cpu.json", "formatlab/LICENSE"]),
        (
            ".",
            [
                "formatlab_exercises/references/shapes.safetensors",
                "formatlab_exercises/steps/fp16.py",
            ],
        ),
    ],
)
def test_a_wheel_holds_what_is_found_by_name(tmp_path, folder, holds):
    (wheel,) = WheelBuilder(str(ROOT / folder)).build(directory=str(tmp_path))
    names = zipfile.ZipFile(wheel).namelist()
    assert set(holds) <= set(names)
    assert not [name for name in names if "/answers/" in name or "__pycache__" in name]
    tops = {name.split("/")[0] for name in names if ".dist-info/" not in name}
    assert tops == {holds[0].split("/")[0]}
