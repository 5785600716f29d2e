"""Remedies are typed where they are shown, by those who are shown them: what a message says to type
is taken out of it, run in the same folder, and then what failed works. tests/test_remedies.py holds
every remedy to what the commands take.
"""

import contextlib
import json
import re
import shlex
import shutil

import pytest
from typer.testing import CliRunner

from nbjudge.cli import app
from nbjudge.course.release import release
from nbjudge.grading.config.folders import Project
from tests.grading import small

FOR_INSTRUCTORS = (
    r"course (release|publish|grade|collect|report|feedback|extend|export|gradebook)\b"
)


class Terminal:
    """A terminal in a folder."""

    def __init__(self, folder):
        self.folder = folder

    def type(self, command):
        words = shlex.split(command.removeprefix("course "))
        with contextlib.chdir(self.folder):
            return CliRunner().invoke(app, words)

    def refused(self, command):
        """What a refusal says."""
        done = self.type(command)
        assert done.exit_code in (1, 2), done.output
        return " ".join((done.stdout + done.stderr).split())

    def follows(self, said, count=1):
        """Type what was said, and nothing else."""
        commands = re.findall(r"`(course [^`]+)`", said)
        assert len(commands) == count, said
        for command in commands:
            done = self.type(command)
            assert done.exit_code == 0, (command, done.output)


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    root = tmp_path_factory.mktemp("checkout") / "Kurs Übung 2026"
    project = Project(root)
    small.write(project, small.cells())
    release(project)
    return project


@pytest.fixture
def checkout(released, tmp_path):
    """A checkout of one's own, in a folder with blanks."""
    root = tmp_path / "Kurs Übung 2026"
    shutil.copytree(released.root, root)
    return Project(root)


@pytest.fixture
def here(checkout):
    return Terminal(checkout.root)


CLASSES = ["", " --course 'my class'"]


@pytest.mark.parametrize("course", CLASSES)
@pytest.mark.parametrize("command", ["collect warm-up", "extend warm-up ada --minutes 10"])
def test_what_was_not_published_is_published_as_it_says(here, command, course):
    said = here.refused(command + course)
    here.follows(said)
    then = here.type(command + course)
    words = " ".join((then.stdout + then.stderr).split())
    assert "published in" not in words and "never published" not in words


@pytest.mark.parametrize("command", ["collect warm-up", "grade warm-up"])
def test_it_says_where_to_publish_if_that_is_elsewhere(checkout, tmp_path, command):
    away = Terminal(tmp_path)
    said = away.refused(f"{command} --course 'my class'")
    assert "in the folder that holds labs/ and solutions/" in said
    Terminal(checkout.root).follows(said)
    done = away.type(f"{command} --course 'my class'")
    words = " ".join((done.stdout + done.stderr).split())
    assert "published in" not in words and "nothing published" not in words


@pytest.mark.parametrize("course", CLASSES)
@pytest.mark.parametrize("command", ["report warm-up", "feedback warm-up"])
def test_what_was_not_graded_is_graded_as_it_says(here, checkout, command, course):
    here.type(f"publish warm-up{course}")
    folder = here.folder / shlex.split(f"x --course course-data{course}")[-1]
    shutil.copytree(checkout.labs / "warm-up", folder / "submitted" / "ada" / "warm-up")
    here.follows(here.refused(command + course))
    done = here.type(command + course)
    assert done.exit_code == 0, done.output


def test_a_lab_that_was_never_released_is_released_as_it_says(here, checkout):
    shutil.rmtree(checkout.labs / "warm-up")
    here.follows(here.refused("publish warm-up"))
    assert here.type("publish warm-up").exit_code == 0


def test_a_lab_that_is_not_what_its_solution_gives_is_released_as_it_says(here, checkout):
    path = checkout.solutions / "warm-up" / "first.ipynb"
    path.write_text(path.read_text().replace("Squares", "More squares"))
    here.follows(here.refused("publish warm-up"))
    assert here.type("publish warm-up").exit_code == 0


@pytest.mark.parametrize("course", CLASSES)
def test_a_damaged_version_is_mended_as_it_says(here, course):
    here.type(f"publish warm-up{course}")
    folder = here.folder / shlex.split(f"x --course course-data{course}")[-1]
    [path] = (folder / ".nbjudge" / "skeletons" / "warm-up").glob("*/release/first.ipynb")
    path.write_text(path.read_text() + " ")
    said = here.refused(f"grade warm-up{course}")
    assert "altered" in said
    here.follows(said)
    assert "altered" not in here.refused(f"grade warm-up{course}")


@pytest.mark.parametrize("course", CLASSES)
def test_a_damaged_gradebook_is_made_again_as_it_says(here, course):
    here.type(f"publish warm-up{course}")
    folder = here.folder / shlex.split(f"x --course course-data{course}")[-1]
    (folder / "gradebook.db").write_bytes(b"damaged")
    said = here.refused(f"grade warm-up{course}")
    (folder / "gradebook.db").rename(folder / "moved away")
    shutil.copytree(here.folder / "labs" / "warm-up", folder / "submitted" / "ada" / "warm-up")
    here.follows(said.replace("ASSIGNMENT", "warm-up"), count=2)


def test_a_damaged_seed_is_drawn_anew_as_it_says(here, checkout):
    course = " --course 'my class'"
    here.type(f"publish warm-up{course}")
    folder = here.folder / "my class"
    shutil.copytree(checkout.labs / "warm-up", folder / "submitted" / "ada" / "warm-up")
    assert here.type(f"grade warm-up{course}").exit_code == 0
    seeds = folder / ".nbjudge" / "seeds"
    for path in seeds.iterdir():
        path.write_text("damaged")
    here.follows(here.refused(f"grade warm-up{course} --force"))


def test_a_file_is_handed_in_with_its_folder_as_it_says(here, checkout):
    lab = here.folder / "my labs" / "warm-up"
    shutil.copytree(checkout.labs / "warm-up", lab)
    here.follows(here.refused("submit 'my labs/warm-up/first.ipynb'"))
    here.follows(here.refused("submit 'my labs'"))
    assert list(here.folder.glob("*_warm-up.zip"))


def test_an_archive_of_another_assignment_is_collected_as_it_says(here, checkout):
    small_one = checkout.solutions / "warm-up"
    shutil.copytree(small_one, checkout.solutions / "second-one")
    assert here.type("release second-one").exit_code == 0
    assert here.type("publish").exit_code == 0
    assert here.type("submit labs/second-one --as ada --zip ada_second-one.zip").exit_code == 0
    said = here.refused("collect warm-up --zip ada_second-one.zip")
    here.follows(said.replace("FILE", "ada_second-one.zip"))


def test_a_folder_that_is_no_checkout_becomes_one_as_it_says(tmp_path, checkout):
    root = tmp_path / "stock nbgrader"
    shutil.copytree(checkout.solutions, root / "solutions")
    there = Terminal(root)
    said = there.refused("release")
    [command] = re.findall(r"`(mkdir [^`]+)`", said)
    (tmp_path / shlex.split(command)[1]).mkdir()
    assert there.type("release").exit_code == 0


def test_nothing_says_to_go_to_a_folder_that_is_none(tmp_path):
    assert "go to the folder that holds labs/" in Terminal(tmp_path).refused("release")


@pytest.fixture(scope="module")
def lab_of_the_course(project):
    return project


@pytest.mark.parametrize("practice", ["", " --practice"])
def test_a_student_with_the_notebook_alone_is_told_nothing_of_an_instructors(
    lab_of_the_course, tmp_path, practice
):
    """In a folder of any name: the exercise's own references are installed with it."""
    for name in ("empty", "labs/day-50"):
        folder = tmp_path / name
        folder.mkdir(parents=True)
        shutil.copy(lab_of_the_course.labs / "day-50" / "inspect.ipynb", folder)
        said = Terminal(folder).refused(f"check inspect.ipynb{practice}")
        assert "0 of 3 points" in said
        assert not re.search(FOR_INSTRUCTORS, said), said


def test_who_authors_a_lab_writes_its_references_again_as_it_says(tmp_path):
    here = Terminal(tmp_path)
    for command in ("new-exercise my_windows --assignment week-1", "release week-1"):
        done = here.type(command)
        assert done.exit_code == 0, done.output
    lab = tmp_path / "labs" / "week-1"
    shutil.rmtree(lab / "references")
    [notebook] = lab.glob("*.ipynb")
    there = Terminal(lab)
    there.follows(there.refused(f"check {notebook.name}"))
    assert "is missing" not in there.refused(f"check {notebook.name}")


def test_who_authors_a_lab_adds_draws_as_it_says(lab_of_the_course, tmp_path):
    root = tmp_path / "a checkout"
    shutil.copytree(lab_of_the_course.root, root)
    shutil.rmtree(root / "labs" / "day-50" / "references" / "practice", ignore_errors=True)
    there = Terminal(root / "labs" / "day-50")
    there.follows(there.refused("check inspect.ipynb --practice"))
    assert "holds no draws" not in there.refused("check inspect.ipynb --practice")


def test_what_to_type_next_is_what_a_shell_reads(tmp_path):
    """After `new-exercise`, in a folder of the author's own."""
    here = Terminal(tmp_path)
    done = here.type("new-exercise my_windows --assignment week-1")
    assert done.exit_code == 0, done.output
    here.follows(" ".join(done.output.split()))
    assert json.loads(next((tmp_path / "labs" / "week-1").glob("*.ipynb")).read_text())["cells"]
