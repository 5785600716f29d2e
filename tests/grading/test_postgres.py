"""The gradebook on a real PostgreSQL: the same marks as on SQLite, and a move from one to the other
that loses nothing.
"""

import csv
import json
import shutil
import subprocess

import pytest
from nbgrader.api import Base, Gradebook
from sqlalchemy import select
from typer.testing import CliRunner

from nbjudge.cli import app
from nbjudge.course.release import release
from nbjudge.grading.config.folders import COURSE_ID, Course, Project
from nbjudge.grading.config.settings import SettingsError
from nbjudge.grading.gradebook import database
from tests.grading import postgres
from tests.grading.test_plain import ANSWERS, ASSIGNMENT, first

STUDENTS = ("right", "wrong")

pytestmark = pytest.mark.xdist_group("postgres")


@pytest.fixture(scope="module")
def server():
    with postgres.server() as running:
        yield running


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    root = tmp_path_factory.mktemp("checkout")
    (root / "solutions" / ASSIGNMENT).mkdir(parents=True)
    (root / "pyproject.toml").touch()
    (root / "solutions" / ASSIGNMENT / "first.ipynb").write_text(json.dumps(first()))
    (root / "solutions" / ASSIGNMENT / "data.txt").write_text("from the instructor")
    release(Project(root))
    return Project(root)


@pytest.fixture(scope="module")
def courses(project, server, tmp_path_factory):
    """The same class twice, through the commands: the gradebook of one is a file, that of the other
    is on the server.
    """
    url = server.create("gradebook")
    folder = tmp_path_factory.mktemp("courses")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(project.root)
        for name, options in (("file", []), ("server", ["--db", url])):
            course = Course.at(folder / name)
            type_(course, "publish", ASSIGNMENT, *options)
            for student in STUDENTS:
                hand_in(project, course, student, ANSWERS[student][0])
            # What publishing wrote into nbgrader_config.py holds from here on.
            type_(course, "grade", ASSIGNMENT)
            type_(course, "feedback", ASSIGNMENT)
    return Course.at(folder / "file"), Course.at(folder / "server"), url


def hand_in(project, course, student, source):
    released = json.loads((project.labs / ASSIGNMENT / "first.ipynb").read_text())
    for cell in released["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == "square":
            cell["source"] = source
    folder = course.submitted / student / ASSIGNMENT
    folder.mkdir(parents=True)
    (folder / "first.ipynb").write_text(json.dumps(released))
    (folder / "timestamp.txt").write_text("2026-03-01 12:00:00 UTC")


def type_(course, command, *arguments):
    done = CliRunner().invoke(app, [*command.split(), *arguments, "--course", str(course.root)])
    assert done.exit_code == 0, done.output
    return done.stdout


def marks(course) -> list[list[str]]:
    target = course.root / "marks.csv"
    type_(course, "export", str(target))
    with open(target, newline="") as file:
        return list(csv.reader(file))


def rows(url) -> dict[str, list[tuple]]:
    with database.opened(url) as engine, engine.connect() as connection:
        return {
            table.name: [
                tuple(row) for row in connection.execute(select(table).order_by(*table.primary_key))
            ]
            for table in Base.metadata.sorted_tables
        }


def test_publish_grade_feedback_and_export_give_on_postgresql_what_they_give_on_sqlite(courses):
    file, server, url = courses
    assert file.gradebook.exists() and not server.gradebook.exists()
    assert server.gradebook_url == url and database.exists(server)
    scores = {row[1]: row[5] for row in marks(server)[1:]}
    assert scores == {student: str(float(sum(ANSWERS[student][1:]))) for student in STUDENTS}
    assert marks(server) == marks(file)
    pages = [
        sorted(path.relative_to(course.root) for path in course.feedback.rglob("*.html"))
        for course in (file, server)
    ]
    assert pages[0] == pages[1] and len(pages[0]) == len(STUDENTS)


def test_nbgrader_reads_the_same_database_from_the_course_folder(courses):
    done = subprocess.run(
        ["nbgrader", "db", "student", "list"], cwd=courses[1].root, capture_output=True, text=True
    )
    assert done.returncode == 0 and all(student in done.stdout for student in STUDENTS), (
        done.stdout + done.stderr
    )


def test_a_gradebook_moves_to_postgresql_whole_and_grading_goes_on_there(
    courses, project, server, tmp_path
):
    course = Course.at(shutil.copytree(courses[0].root, tmp_path / "course"))
    old = course.gradebook_url
    with Gradebook(old, COURSE_ID) as book:
        essay = book.find_submission_notebook("first", ASSIGNMENT, "right").grades[-1]
        essay.manual_score = 4.5
        book.find_submission_notebook("first", ASSIGNMENT, "right").comments[
            0
        ].manual_comment = "schön: ≥ 0 €"
        book.db.commit()
    before, kept, target = marks(course), rows(old), server.create("moved")
    told = type_(course, "gradebook copy", "--to", target)
    assert f"copied {sum(map(len, kept.values()))} rows" in told and server.password not in told
    assert course.gradebook_url == target and rows(target) == kept
    assert marks(course) == before
    hand_in(project, course, "late", ANSWERS["right"][0])
    type_(course, "grade", ASSIGNMENT)
    assert {row[1] for row in marks(course)[1:]} == {*STUDENTS, "late"}
    assert rows(old) == kept
    subprocess.run(["nbgrader", "db", "upgrade"], cwd=course.root, check=True, capture_output=True)
    assert marks(course)[1:2] == [row for row in marks(course) if row[1] == "late"]


def test_a_copy_into_a_database_that_is_in_use_is_refused(courses):
    course, _, url = courses
    done = CliRunner().invoke(app, ["gradebook", "copy", "--to", url, "--course", str(course.root)])
    assert done.exit_code == 2 and "is not empty" in done.stderr
    assert course.gradebook_url.startswith("sqlite")


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("postgresql://grader:secret@127.0.0.1:1/gradebook", "refused"),
        ("postgresq://127.0.0.1/gradebook", "is no address of a database"),
        ("no address", "is no address of a database"),
    ],
)
def test_a_database_that_does_not_answer_is_one_line(url, told, tmp_path):
    done = CliRunner().invoke(
        app, ["grade", ASSIGNMENT, "--course", str(tmp_path / "course"), "--db", url]
    )
    assert done.exit_code == 2 and told in done.stderr and len(done.stderr.splitlines()) == 1, (
        done.stderr
    )
    assert "secret" not in done.stderr and not (tmp_path / "course").exists()


def test_an_address_may_come_from_where_a_secret_is_kept(tmp_path, monkeypatch):
    (tmp_path / "nbgrader_config.py").write_text(
        "import os\nc = get_config()\nc.CourseDirectory.db_url = os.environ['DB']\n"
    )
    with pytest.raises(SettingsError, match=r"nbgrader_config\.py, line 3: KeyError"):
        _ = Course.at(tmp_path).gradebook_url
    monkeypatch.setenv("DB", "postgresql://grader@/gradebook")
    assert Course.at(tmp_path).gradebook_url == "postgresql://grader@/gradebook"
    assert Course.at(tmp_path, "sqlite:///elsewhere.db").gradebook_url == "sqlite:///elsewhere.db"
