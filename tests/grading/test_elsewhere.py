"""nbgrader's commands in other folders than an adopted course's: a student's, and other courses'."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from nbjudge.course import elsewhere
from tests.grading import small
from tests.grading.test_adopt import CONFIG, type_

pytestmark = pytest.mark.xdist_group("adopt")
BOOK = f"{small.NOTEBOOK}.ipynb"
BUTTON = """
from nbgrader.apps import NbGrader
from nbgrader.server_extensions.validate_assignment import handlers
NbGrader().load_config_file()
print(handlers.Validator.__name__)
"""


def nbgrader(folder, *words):
    """The program, which does not put the folder where Python looks for nbgrader itself."""
    command = [Path(sys.executable).with_name("nbgrader"), *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


@pytest.fixture
def settings(tmp_path, monkeypatch):
    folder = tmp_path / "settings"
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(folder))
    return folder / CONFIG


@pytest.fixture
def course(tmp_path, settings):
    root = tmp_path / "course"
    (root / "source").mkdir(parents=True)
    return root


@pytest.fixture
def not_tried(monkeypatch):
    monkeypatch.setattr(elsewhere, "_tried", lambda: None)


def hostile(folder, traces):
    """A folder in which settings, modules and a notebook each leave a trace where they are executed."""
    folder.mkdir(parents=True)
    traces.mkdir(exist_ok=True)

    def leaving(name):
        return f"open({str(traces / name)!r}, 'w').close()\n"

    (folder / CONFIG).write_text(leaving("settings"))
    (folder / "nbgrader_config.json").write_text('{"NbGrader": {"logfile": "log.txt"}}')
    for module in ("nbjudge", "bleach", "late"):
        (folder / f"{module}.py").write_text(leaving(module))
    cells = [
        small.code("answer", leaving("cell"), small.meta("a", solution=True)),
        small.code("test", "assert False, 'seen'  # \x1b]0;title\x07", small.meta("t", 1)),
    ]
    (folder / BOOK).write_text(json.dumps(small.notebook(cells)))
    return folder


def test_validate_is_boxed_in_every_folder_of_an_adopted_course_s_environment(
    course, settings, tmp_path
):
    settings.parent.mkdir()
    settings.write_text(own := "# ours\nc = get_config()\nc.Validator.width = 99\n")
    traces = tmp_path / "traces"
    places = [
        hostile(course / "submitted" / "eve" / small.ASSIGNMENT, traces),
        hostile(tmp_path / "downloads" / "mal", traces),
    ]
    code, said = type_("adopt", course)
    assert code == 0 and "in every folder" in said, said
    assert settings.read_text().endswith(own)
    for folder in places:
        done = nbgrader(folder, "validate", BOOK)
        assert not list(traces.iterdir()), done.stderr
        assert "seen" in done.stdout and f"{folder / CONFIG} was not read" in done.stderr
        assert "title" in done.stdout and "\x1b]" not in done.stdout + done.stderr
    os.mkfifo(places[0] / "pipe.ipynb")
    done = nbgrader(places[0], "validate", "pipe.ipynb")
    assert done.returncode == 2 and "no regular file" in done.stderr
    # The course's own folder is read as ever.
    (course / CONFIG).write_text(
        f"{(course / CONFIG).read_text()}open({str(traces / 'own')!r}, 'w').close()\n"
    )
    (course / BOOK).write_bytes((places[0] / BOOK).read_bytes())
    done = nbgrader(course, "validate", BOOK)
    assert "seen" in done.stdout and [each.name for each in traces.iterdir()] == ["own"]

    assert type_("adopt", course, "--undo")[0] == 0
    assert settings.read_text() == own
    nbgrader(places[1], "validate", BOOK)
    assert {"settings", "cell"} <= {each.name for each in traces.iterdir()}


def test_what_is_tried_can_fail(settings):
    """Negative control: without the lines nbgrader reads what lies in the folder."""
    assert elsewhere._tried() == "runs the settings that lie there"


def test_inside_an_adopted_course_no_settings_are_read_and_nothing_is_graded(
    course, settings, not_tried, tmp_path
):
    traces = tmp_path / "traces"
    elsewhere.adopt(course)
    folder = hostile(course / "submitted" / "eve" / small.ASSIGNMENT, traces)
    hostile(folder / "submitted" / "eve" / "ps", traces)
    done = nbgrader(folder, "autograde", "ps")
    assert done.returncode == 2 and "Nothing was graded" in done.stderr
    assert not list(traces.iterdir()), done.stderr


def test_another_course_of_the_environment_stays_nbgrader_s_own(
    course, settings, not_tried, tmp_path
):
    traces = tmp_path / "traces"
    elsewhere.adopt(course)
    other = hostile(tmp_path / "other", traces)
    done = nbgrader(other, "update", BOOK)
    assert done.returncode == 0 and (traces / "settings").exists(), done.stderr


def test_lines_go_with_the_last_course(course, settings, not_tried, tmp_path):
    other = tmp_path / "it's another"
    (other / "source").mkdir(parents=True)
    gone = tmp_path / "gone"
    gone.mkdir()
    for each in (course, other, gone):
        elsewhere.adopt(each)
    gone.rmdir()
    elsewhere.give_back(course)
    assert elsewhere._adopted(settings) == [str(other)]
    elsewhere.give_back(other)
    assert not settings.exists()


def test_the_button_in_jupyterlab_validates_in_a_box(course, settings, not_tried, tmp_path):
    def found():
        command = [sys.executable, "-P", "-c", BUTTON]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True).stdout.split()[
            -1
        ]

    assert found() == "Validator"
    elsewhere.adopt(course)
    assert found() == "BoxedValidator"


def test_it_holds_for_the_account_that_adopted_alone(course, settings, tmp_path, monkeypatch):
    assert "in every folder" in elsewhere.adopt(course)
    # A file can be given away by root alone, so it is the process that is somebody else's.
    (tmp_path / "sitecustomize.py").write_text(
        "import os\nos.geteuid = lambda own=os.geteuid(): own + 1\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert elsewhere._tried() == "runs the settings that lie there"
