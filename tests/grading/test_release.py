"""Releasing and publishing: what students get is generated, swapped in whole, and never takes marks
away.
"""

import json
import shutil
import stat
import subprocess
from pathlib import Path

import pytest
from nbgrader.api import Gradebook

from nbjudge.course import config, given_cells
from nbjudge.course import release as releasing
from nbjudge.course.bundle import bundle
from nbjudge.course.generating import ReleaseError, read_notebooks, write_notebook
from nbjudge.course.publish import PublishRefused, publish
from nbjudge.course.release import generate, release
from nbjudge.grading.config.folders import Course, Project
from nbjudge.grading.published import skeletons
from nbjudge.grading.published.asked_exercises import in_folder
from nbjudge.grading.reference import references
from nbjudge.grading.run import coordinator
from nbjudge.references import read_references
from tests.same_references import assert_same_references

ROOT = Path(__file__).resolve().parents[2]
ASSIGNMENT = "day-50"


@pytest.fixture
def project(tmp_path):
    """A checkout with the one exercise that is quickest to run."""
    root = tmp_path / "checkout"
    (root / "solutions" / ASSIGNMENT).mkdir(parents=True)
    (root / "pyproject.toml").touch()
    shutil.copy(ROOT / "solutions" / ASSIGNMENT / "inspect.ipynb", root / "solutions" / ASSIGNMENT)
    return Project(root)


def edit(project, change, name="inspect"):
    path = project.solutions / ASSIGNMENT / f"{name}.ipynb"
    notebook = json.loads(path.read_text())
    change(notebook)
    write_notebook(path, notebook)


def cell_of(notebook, grade_id):
    return next(
        cell
        for cell in notebook["cells"]
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == grade_id
    )


def set_points(points):
    return lambda notebook: cell_of(notebook, "check-inspect")["metadata"]["nbgrader"].update(
        points=points
    )


def hand_in(project, course, student="ada"):
    target = course.submitted / student / ASSIGNMENT
    shutil.copytree(project.labs / ASSIGNMENT, target)
    return target


each_assignment = pytest.mark.parametrize("assignment", Project(ROOT).assignments())


@each_assignment
def test_each_released_exercise_has_its_references_and_each_lab_its_version(assignment):
    """What the notebooks are is in tests/test_generated.py, and what the references are in
    test_stored_references.py.
    """
    labs = ROOT / "labs" / assignment
    asked = {f"{exercise}.safetensors" for exercise in in_folder(ROOT / "solutions" / assignment)}
    assert contents(labs / "references").keys() == asked
    for name, notebook in read_notebooks(labs).items():
        assert given_cells.is_as_released(name, notebook), name


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.mark.slow
@each_assignment
def test_the_boxes_compute_the_stored_references(assignment, tmp_path):
    """Of the public cases: test_practice.py holds the draws beside them to what they were made
    from.
    """
    releasing.add_references(Project(ROOT), assignment, tmp_path)
    for path in filter(Path.is_file, (tmp_path / "references").iterdir()):
        stored = read_references(ROOT / "labs" / assignment / "references" / path.name)
        assert_same_references(path.stem, read_references(path), stored)


def test_the_release_holds_no_solution_and_protects_what_is_given(project):
    """A given cell that its author made editable asks the student for something."""
    source = project.solutions / ASSIGNMENT / "inspect.ipynb"
    written = json.loads(source.read_text())
    asking, given = [
        c["metadata"] for c in written["cells"] if c["metadata"]["nbgrader"]["locked"]
    ][:2]
    asking["editable"] = True
    source.write_text(json.dumps(written))
    release(project)
    notebook = read_notebooks(project.labs / ASSIGNMENT)["inspect"]
    text = json.dumps(notebook)
    assert "BEGIN SOLUTION" not in text and "raise NotImplementedError" in text
    assert cell_of(notebook, "check-inspect")["metadata"]["deletable"] is False
    assert cell_of(notebook, "describe")["metadata"].get("editable", True) is True
    by_name = {c["metadata"]["nbgrader"]["grade_id"]: c["metadata"] for c in notebook["cells"]}
    released = [by_name[each["nbgrader"]["grade_id"]] for each in (asking, given)]
    assert [(each["editable"], each["deletable"]) for each in released] == [
        (True, False),
        (False, False),
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (set_points(2), "worth 3 points"),
        (
            lambda notebook: cell_of(notebook, "check-inspect").update(
                source='check("inspekt", describe)'
            ),
            "inspekt",
        ),
        (
            lambda notebook: notebook["metadata"].update(
                kernelspec={"name": "ir", "language": "R"}
            ),
            "written for r",
        ),
        (
            lambda notebook: cell_of(notebook, "describe").update(
                source="def describe(model, directory=None):\n    return {}"
            ),
            "solution of inspect",
        ),
        (
            lambda notebook: cell_of(notebook, "describe").update(
                source="### BEGIN SOLUTION\npass"
            ),
            "BEGIN SOLUTION|refuses",
        ),
    ],
    ids=["points", "unknown exercise", "kernel", "wrong solution", "unpaired mark"],
)
def test_a_broken_solution_is_refused_and_the_old_release_stays(project, change, message):
    release(project)
    before = {path: path.read_bytes() for path in project.labs.rglob("*") if path.is_file()}
    edit(project, change)
    with pytest.raises(ReleaseError, match=message):
        release(project)
    assert {path: path.read_bytes() for path in project.labs.rglob("*") if path.is_file()} == before


def test_publishing_fills_gradebook_store_and_exchange(project, tmp_path):
    release(project)
    course = Course.at(tmp_path / "course")
    (done,) = publish(course, project)
    with Gradebook(course.gradebook_url) as book:
        assert book.find_assignment(ASSIGNMENT).max_score == 3
    stored = skeletons.current(course, ASSIGNMENT)
    assert (
        stored.version
        == done.version
        == stored.notebooks["inspect"]["metadata"]["nbjudge"]["version"]
    )
    assert "def describe" in json.dumps(stored.solutions)
    assert any((course.exchange).rglob("outbound/day-50/inspect.ipynb"))
    assert not any("solutions" in path.parts for path in course.exchange.rglob("*"))
    private = [course.gradebook, course.submitted, course.autograded, course.feedback]
    for path in (*private, *(course.root / ".nbjudge").rglob("*")):
        assert not path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO), path


def test_a_release_that_does_not_fit_the_solutions_is_not_published(project, tmp_path):
    course = Course.at(tmp_path / "course")
    with pytest.raises(PublishRefused, match="never released"):
        publish(course, project, [ASSIGNMENT])
    release(project)
    edit(project, lambda notebook: notebook["cells"][0].update(source="# Another title"))
    with pytest.raises(PublishRefused, match="course release"):
        publish(course, project)
    assert not course.gradebook.exists()


@pytest.mark.parametrize("cell_id", ["same", None])
def test_cells_without_an_id_of_their_own_are_released_alike_each_time(project, tmp_path, cell_id):
    """As tools write them that do not know of ids; nbformat draws new ones whenever it reads them."""

    def take_ids(notebook):
        for cell in notebook["cells"]:
            cell.pop("id")
            cell.update({"id": cell_id} if cell_id else {})

    edit(project, take_ids)
    for folder in ("one", "two"):
        generate(project.solutions, tmp_path / folder, ASSIGNMENT)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")
    ids = [cell["id"] for cell in read_notebooks(tmp_path / "one")["inspect"]["cells"]]
    assert len(set(ids)) == len(ids)


def test_texts_and_stubs_may_change_after_submissions_and_old_copies_are_graded_as_they_were_fetched(
    project, tmp_path
):
    release(project)
    course = Course.at(tmp_path / "course")
    (first,) = publish(course, project)
    hand_in(project, course, "ada")
    edit(project, lambda notebook: notebook["cells"][0].update(source="# A better title"))
    release(project)
    (second,) = publish(course, project)
    assert second.version != first.version and second.was_new
    hand_in(project, course, "ben")
    report = coordinator.grade(course, coordinator.GradingRequest(ASSIGNMENT, seed=1))
    assert all(result.status == "graded" and not result.tampered for result in report.submissions)
    titles = [
        json.loads((course.autograded / name / ASSIGNMENT / "inspect.ipynb").read_text())["cells"][
            0
        ]["source"]
        for name in ("ada", "ben")
    ]
    assert titles[0] != titles[1]


def test_changed_graded_cells_are_refused_once_there_are_submissions(
    project, tmp_path, monkeypatch
):
    release(project)
    course = Course.at(tmp_path / "course")
    (first,) = publish(course, project)
    hand_in(project, course)

    def rename(notebook):
        cell_of(notebook, "describe")["metadata"]["nbgrader"]["grade_id"] = "describe-it"

    edit(project, rename)
    release(project)
    before = course.gradebook.read_bytes()
    with pytest.raises(PublishRefused, match="inspect/describe"):
        publish(course, project)
    assert (
        course.gradebook.read_bytes() == before
        and skeletons.current(course, ASSIGNMENT).version == first.version
    )
    publish(Course.at(tmp_path / "fresh"), project)


def test_an_altered_store_is_noticed(project, tmp_path):
    release(project)
    course = Course.at(tmp_path / "course")
    publish(course, project)
    path = next((course.root / ".nbjudge" / "skeletons").rglob("release/inspect.ipynb"))
    path.write_bytes(path.read_bytes().replace(b"check(", b"print("))
    with pytest.raises(skeletons.SkeletonError, match="altered"):
        skeletons.current(course, ASSIGNMENT)


def test_the_students_edition_holds_no_solution_and_no_test(tmp_path):
    first = bundle(Project(ROOT), tmp_path / "one.zip")
    bundle(Project(ROOT), tmp_path / "two.zip")
    tops = {name.split("/")[1] for name in first}
    assert {"labs", "autograder", "Makefile", "requirements.lock"} <= tops
    assert not tops & {"solutions", "tests", "demo", "course-data", "build"}
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()
    import zipfile

    with zipfile.ZipFile(tmp_path / "one.zip") as archive:
        assert not any(
            b"BEGIN SOLUTION" in archive.read(name)
            for name in archive.namelist()
            if name.endswith(".ipynb")
        )


@pytest.mark.slow
def test_formgraders_generate_button_releases_and_publishes(project, tmp_path):
    """`nbgrader generate_assignment` is what the button calls."""
    course = Course.at(tmp_path / "course")
    config.write(course, project)
    command = ["nbgrader", "generate_assignment", ASSIGNMENT]
    done = subprocess.run(command, cwd=course.root, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    stored = skeletons.current(course, ASSIGNMENT)
    assert (
        json.loads((course.release / ASSIGNMENT / "inspect.ipynb").read_text())["metadata"][
            "nbjudge"
        ]["version"]
        == stored.version
    )
    edit(project, set_points(2))
    refused = subprocess.run(command, cwd=course.root, capture_output=True, text=True)
    assert refused.returncode == 1 and "worth 3 points" in refused.stderr
    assert skeletons.current(course, ASSIGNMENT).version == stored.version


def test_a_release_with_a_seed_leaves_no_solution_for_grading_to_run(
    project, tmp_path, monkeypatch
):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    release(project, [ASSIGNMENT], practice=0, seed=50)
    course = Course.at(tmp_path / "course")
    publish(course, project, [ASSIGNMENT])
    monkeypatch.setattr(references, "compute", lambda *_: pytest.fail("the solution ran again"))
    prepared = references.prepare(skeletons.current(course, ASSIGNMENT), 50)
    assert prepared["inspect"].references.keys() == {
        case.name for case in prepared["inspect"].cases
    }
