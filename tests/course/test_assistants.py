"""`AGENTS.md` in a student's folder: there, the instructor's own where there is one, and no work."""

import json
import re
import shlex
import shutil
import zipfile
from pathlib import Path

import pytest
from typer.testing import CliRunner

from nbjudge.cli import app
from nbjudge.course import assistants, submitting
from nbjudge.lab.home import Home, update

ROOT = Path(__file__).resolve().parents[2]
OURS = (ROOT / "autograder" / "nbjudge" / "lab" / "AGENTS.md").read_text()


@pytest.mark.parametrize("lab", sorted(path.name for path in (ROOT / "labs").iterdir()))
def test_every_lab_is_released_with_it(lab):
    assert (ROOT / "labs" / lab / assistants.FILE).read_text() == OURS


def test_an_instructors_own_text_takes_its_place(tmp_path):
    solutions, released = tmp_path / "solutions", tmp_path / "released"
    solutions.mkdir()
    released.mkdir()
    assistants.write(released, solutions)
    assert (released / assistants.FILE).read_text() == OURS
    (released / assistants.FILE).unlink()
    (solutions / assistants.FILE).write_text("No assistants before Friday.\n")
    assistants.write(released, solutions)
    assert (released / assistants.FILE).read_text() == "No assistants before Friday.\n"
    (released / assistants.FILE).write_text("the assignment's own")
    assistants.write(released, solutions)
    assert (released / assistants.FILE).read_text() == "the assignment's own"


def test_course_lab_puts_it_where_an_assistant_starts(tmp_path):
    project = tmp_path / "project"
    (project / "labs" / "a").mkdir(parents=True)
    (project / "labs" / "a" / assistants.FILE).write_text("first")
    home = Home(tmp_path / "home")
    assert assistants.FILE in update(home, project).fresh
    assert (home.root / assistants.FILE).read_text() == "first"
    (home.root / assistants.FILE).write_text("mine")
    (project / "labs" / "a" / assistants.FILE).write_text("second")
    assert assistants.FILE in update(home, project).outdated
    assert (home.root / assistants.FILE).read_text() == "mine"


def test_handing_in_passes_over_it(tmp_path):
    folder = tmp_path / "day-50"
    folder.mkdir()
    shutil.copy(ROOT / "labs" / "day-50" / "dropout.ipynb", folder)
    shutil.copy(ROOT / "labs" / "day-50" / assistants.FILE, folder)
    assert submitting.doubts(folder) == []
    packed = submitting.pack(folder, tmp_path / "a.zip", "ada")
    with zipfile.ZipFile(packed) as archive:
        assert not any(assistants.FILE in name for name in archive.namelist())


def test_what_it_tells_an_assistant_to_type_and_to_read_is_there():
    commands = re.findall(r"^(course .*)$", OURS, re.MULTILINE)
    assert commands == ["course check NOTEBOOK.ipynb --json"]
    words = shlex.split(commands[0].replace("NOTEBOOK", "no-such"))[1:]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 2 and "there is no notebook" in done.output
    schema = json.loads(
        (ROOT / "autograder" / "nbjudge" / "course" / "check_schema.json").read_text()
    )
    for key in ("misconception", "likely_cause", "read_again"):
        assert f"{key}`" in OURS and key in schema["$defs"]["broken"]["properties"]
    assert "`errors_elsewhere`" in OURS
    assert "errors_elsewhere" in schema["$defs"]["notebook"]["properties"]


def test_a_guide_holds_a_paragraph_to_copy():
    guide = (ROOT / "docs" / "instructors.md").read_text()
    assert "## AI assistants" in guide and "solutions/AGENTS.md" in guide
    assert "--json" in (ROOT / "docs" / "students.md").read_text()
