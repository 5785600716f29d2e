"""The course's nbgrader settings are read once, by nbgrader's own means: what nbgrader does with a
file, every command of ours does.
"""

import json
import os
import subprocess
import sys

import pytest
from nbgrader.apps.baseapp import NbGrader
from nbgrader.exchange.default import Exchange

from nbjudge.course import config
from nbjudge.grading.config.folders import Course, FolderError
from nbjudge.grading.config.settings import SettingsError

# How an instructor may have written that the course is ml-b and its exchange is PLACE.
WRITTEN = {
    "as nbgrader's documentation has it": "c = get_config()\nc.CourseDirectory.course_id = 'ml-b'\nc.Exchange.root = PLACE\n",
    "by an alias": "c2 = c\nc2.CourseDirectory.course_id = 'ml-b'\nc2.Exchange.root = PLACE\n",
    "by a section": "d = c.CourseDirectory\nd.course_id = 'ml-b'\ne = c.Exchange\ne.root = PLACE\n",
    "under a condition": "if PLACE:\n    c.CourseDirectory.course_id = 'ml-b'\n    c.Exchange.root = PLACE\nelse:\n    raise OSError\n",
    "in a loop": "for name, value in (('course_id', 'ml-b'),):\n    setattr(c.CourseDirectory, name, value)\nc.Exchange['root'] = PLACE\n",
    "by an import": "from settings_of_ours import configure\nconfigure(c, PLACE)\n",
    "in a second file": "load_subconfig('more.py')\n",
    "computed": "c.CourseDirectory.course_id = f'ml-{chr(98)}'\nc.Exchange.root = PLACE\n",
    "under nbgrader's old names": "c.NbGrader.course_id = 'ml-b'\nc.TransferApp.exchange_directory = PLACE\n",
    "the last one counts": "c.Exchange.root = '/no'\nc.CourseDirectory.course_id = 'ml-b'\nc.Exchange.root = PLACE\n",
}
MODULE = "def configure(c, place):\n    c.CourseDirectory.course_id = 'ml-b'\n    c.Exchange.root = place\n"


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "course"
    folder.mkdir()
    yield folder
    sys.modules.pop("settings_of_ours", None)


def as_nbgrader(folder, monkeypatch) -> tuple[str, str]:
    """The course and the exchange of nbgrader's own commands, typed in the folder."""
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(str(folder))
    app = NbGrader()
    app.initialize([], root=str(folder))
    return app.coursedir.course_id, Exchange(config=app.config).root


@pytest.mark.parametrize("text", WRITTEN.values(), ids=WRITTEN)
def test_whatever_way_it_is_written_it_means_what_nbgrader_takes_it_for(
    folder, tmp_path, text, monkeypatch
):
    place = str(tmp_path / "exchange")
    (folder / "settings_of_ours.py").write_text(MODULE)
    (folder / "more.py").write_text(MODULE + f"configure(c, {place!r})\n")
    (folder / "nbgrader_config.py").write_text(f"PLACE = {place!r}\n{text}")
    course = Course.at(folder)
    ours = course.course_id, str(course.exchange)
    assert ours == ("ml-b", place) == as_nbgrader(folder, monkeypatch)
    merged = config.config(course)
    assert merged.Exchange.root == place and merged.CourseDirectory.course_id == "ml-b"


def test_the_json_file_counts_over_the_python_file(folder, tmp_path, monkeypatch):
    (folder / "nbgrader_config.py").write_text(
        "c.CourseDirectory.course_id = 'no'\nc.Exchange.root = '/here'\n"
    )
    (folder / "nbgrader_config.json").write_text(
        json.dumps({"CourseDirectory": {"course_id": "ml-b"}})
    )
    course = Course.at(folder)
    assert (course.course_id, str(course.exchange)) == ("ml-b", "/here")
    assert as_nbgrader(folder, monkeypatch) == ("ml-b", "/here")
    (folder / "nbgrader_config.py").unlink()
    assert course.course_id == "ml-b"


def test_a_gradebook_named_without_its_folder_lies_in_the_course(folder, monkeypatch, tmp_path):
    (folder / "nbgrader_config.py").write_text("c.CourseDirectory.db_url = 'sqlite:///mine.db'")
    monkeypatch.chdir(tmp_path)
    assert Course.at(folder).gradebook_url == f"sqlite:///{folder}/mine.db"


BROKEN = {
    "nbgrader_config.py": {
        "x = 1\nc.CourseDirectory.course_id = ": "line 2",
        "\n\nimport no_such_module": "line 3",
        "def f():\n    raise ValueError('two\\nlines')\n\nf()": "line 4",
        "import sys\nsys.exit(0)": "line 2",
        "\x00": "",
        "c.CourseDirectory.course_id = 7": "course_id",
        "c.Exchange.root = ['/a']": "root",
        "c.CourseDirectory.groupshared = 'perhaps'": "groupshared",
        "c.CourseDirectory = 3": "line 1",
        "load_subconfig('broken.py')": "line 1",
        "c.CourseDirectory.course_id = '../x'": "../x",
    },
    "nbgrader_config.json": {
        '{"CourseDirectory": {\n': "line 2",
        "[1]": "",
        '{"CourseDirectory": 3}': "CourseDirectory",
        "3": "",
    },
}


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [(name, text, said) for name, texts in BROKEN.items() for text, said in texts.items()],
)
def test_what_is_wrong_with_them_is_one_line_with_its_place(folder, name, text, said):
    (folder / name).write_text(text)
    (folder / "broken.py").write_text("raise KeyError('deep')")
    with pytest.raises((FolderError, SettingsError)) as problem:
        _ = Course.at(folder).course_id
    line = str(problem.value)
    assert "\n" not in line and said in line
    assert name in line or said == "../x"


def test_they_are_executed_once_a_command_and_again_when_they_change(folder):
    path = folder / "nbgrader_config.py"
    path.write_text("open('ran', 'a').write('.')\nc.CourseDirectory.course_id = 'ml-a'\n")
    course = Course.at(folder)
    for _ in range(3):
        assert (course.course_id, course.gradebook_url) == (
            "ml-a",
            f"sqlite:///{folder}/gradebook.db",
        )
        config.config(course)
    assert (folder / "ran").read_text() == "."
    path.write_text(path.read_text().replace("ml-a", "ml-b"))
    assert course.course_id == "ml-b" and (folder / "ran").read_text() == ".."


def test_what_one_caller_does_with_them_reaches_no_other(folder):
    (folder / "nbgrader_config.py").write_text("c.CourseDirectory.course_id = 'ml-a'\n")
    course = Course.at(folder)
    course.settings.CourseDirectory.course_id = "changed"
    assert course.course_id == "ml-a"


def test_a_written_file_moves_with_its_folder(tmp_path):
    config.write(Course.at(tmp_path / "before"))
    (tmp_path / "before").rename(tmp_path / "after")
    course = Course.at(tmp_path / "after")
    assert course.exchange == course.root / "exchange"
    # As earlier versions wrote it, with whole paths.
    old = "c.CourseDirectory.root = '/old'\nc.Exchange.root = '/old/exchange'\nc.Exchange.cache = '/old/exchange/cache'\n"
    (course.root / "nbgrader_config.py").write_text(old)
    assert course.exchange == course.root / "exchange"
    assert course.exchange_cache == course.root / "exchange" / "cache"


def test_a_student_s_folder_is_no_place_for_settings(folder, tmp_path):
    """Neither what is handed in nor where the command is typed is read."""
    submitted = folder / "submitted" / "eve" / "hw"
    submitted.mkdir(parents=True)
    for place in (submitted, tmp_path):
        (place / "nbgrader_config.py").write_text(
            "open('ran', 'w')\nc.CourseDirectory.course_id = 'eve'"
        )
    run = "from nbjudge.grading.config.folders import Course; import sys; print(Course.at(sys.argv[1]).course_id)"
    done = subprocess.run(
        [sys.executable, "-c", run, folder],
        cwd=submitted,
        capture_output=True,
        text=True,
        env={name: value for name, value in os.environ.items() if name != "AUTOGRADER_COURSE_ID"},
    )
    assert done.stdout.strip() == "ml-model-formats", done.stderr
    assert not (submitted / "ran").exists()
