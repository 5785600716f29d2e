"""Practice: fresh cases of every hidden kind at a student's place, judged by what a release stored
of the solution.
"""

import shutil
import subprocess
from pathlib import Path

import nbformat
import pytest

from nbjudge import exercises, practice
from nbjudge.checking import CheckFailed, check, public_verdict
from nbjudge.course import draws
from nbjudge.course.generating import read_notebooks
from nbjudge.course.release import release
from nbjudge.grading.config.folders import Project
from nbjudge.grading.execution.runner import run_notebook
from tests.mutants import mutants, reference_functions, solutions

ROOT = Path(__file__).resolve().parents[2]
EXERCISE = exercises.get("inspect")
DESCRIBE = reference_functions("inspect")["describe"]
LAB = "labs/day-50"
pytestmark = pytest.mark.xdist_group("practice")


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    root = tmp_path_factory.mktemp("project")
    (root / "pyproject.toml").touch()
    (root / "solutions" / "day-50").mkdir(parents=True)
    shutil.copy(ROOT / "solutions/day-50/inspect.ipynb", root / "solutions/day-50")
    release(Project(root), practice=2)
    return Project(root)


@pytest.fixture
def lab(project, monkeypatch):
    monkeypatch.chdir(project.root / LAB)
    return project.root / LAB


def test_a_right_answer_passes_a_draw_and_is_told_its_number(lab, capsys):
    check("inspect", DESCRIBE, practice=True)
    shown = capsys.readouterr().out
    assert "worth 3 of 3 points" in shown and "Practice draw" in shown
    assert any(f"seed={draw}" in shown for draw in (1, 2))


def test_practice_catches_what_the_public_cases_miss_and_tells_all(lab, capsys):
    functions = next(
        mutant.functions
        for mutant in mutants("inspect")
        if mutant.rung and public_verdict(EXERCISE, mutant.functions, lab).broken is None
    )
    with pytest.raises(CheckFailed):
        check("inspect", *functions.values(), practice=True, seed=2)
    shown = " ".join(capsys.readouterr().out.split())
    assert "Practice draw 2" in shown and "practice=True, seed=2" in shown
    case = shown.partition("Case: ")[2].split()[0]
    assert case in {each.name for each in practice.cases(EXERCISE, 2)}


def test_a_seed_alone_means_practice_and_gives_the_same_again(lab, capsys):
    shown = []
    for _ in range(2):
        check("inspect", DESCRIBE, seed=1)
        shown.append(capsys.readouterr().out)
    assert shown[0] == shown[1] and "Practice draw 1" in shown[0]


def test_draws_hold_other_cases_of_every_hidden_kind():
    one, two = ({case.name: case for case in practice.cases(EXERCISE, draw)} for draw in (1, 2))
    assert one.keys() == two.keys() == {case.name for case in EXERCISE.cases(20261)}
    assert all(case.public for case in one.values())
    assert {case.seed for case in one.values()}.isdisjoint(case.seed for case in two.values())


@pytest.mark.parametrize("draw", [0, 3, -1])
def test_a_draw_that_is_not_there_is_named_with_those_that_are(lab, draw):
    with pytest.raises(CheckFailed, match="its draws are 1, 2"):
        check("inspect", DESCRIBE, practice=True, seed=draw)


def test_a_lab_without_draws_says_so(project, tmp_path, monkeypatch):
    shutil.copytree(project.root / LAB, tmp_path / "lab")
    shutil.rmtree(tmp_path / "lab" / "references" / "practice")
    monkeypatch.chdir(tmp_path / "lab")
    with pytest.raises(CheckFailed, match="holds no draws of inspect"):
        check("inspect", DESCRIBE, practice=True)


def test_the_command_draws_for_a_whole_notebook(project, tmp_path):
    shutil.copytree(project.root / LAB, tmp_path / "lab")
    notebook = nbformat.read(tmp_path / "lab" / "inspect.ipynb", 4)
    stored = nbformat.read(solutions()["inspect"], 4)
    for cell, solved in zip(notebook.cells, stored.cells, strict=True):
        if cell.metadata.get("nbgrader", {}).get("solution"):
            cell.source = solved.source
    nbformat.write(notebook, tmp_path / "lab" / "inspect.ipynb")
    done = subprocess.run(
        ["course", "check", "inspect.ipynb", "--seed", "2"],
        cwd=tmp_path / "lab",
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Practice draw 2" in done.stdout


def test_a_draw_that_there_is_not_is_refused_before_anything_runs(lab):
    done = subprocess.run(
        ["course", "check", "inspect.ipynb", "--seed", "7"], capture_output=True, text=True
    )
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "inspect has no practice draw 7: its draws are 1, 2" in done.stderr


def test_a_grader_takes_no_notice_of_practice(project):
    """A cell in which a student practised is part of what is handed in: it must neither answer
    cases nor stop the notebook.
    """
    notebook = read_notebooks(project.root / LAB)["inspect"]
    test = next(
        place
        for place, cell in enumerate(notebook["cells"])
        if cell["metadata"].get("nbgrader", {}).get("grade")
    )
    own = {"cell_type": "code", "id": "own", "metadata": {}, "outputs": [], "execution_count": None}
    practised = {
        **own,
        "source": 'def describe(model, directory=None):\n    return {}\n\ncheck("inspect", describe, practice=True)',
    }
    answered = {
        **own,
        "id": "answered",
        "source": "def describe(model, directory=None):\n    return {'done': 1}",
    }
    notebook["cells"][test:test] = [practised, answered]
    run = run_notebook(notebook, {"inspect": EXERCISE.public_cases()})
    assert run.cells[test].status == "ok"
    assert all(
        b"done" in b"".join(answer.files.values()) for answer in run.answers["inspect"].values()
    )


def test_a_release_computes_only_what_changed(project, tmp_path):
    copy = Project(Path(shutil.copytree(project.root, tmp_path / "copy")))
    before = {path.name: path.read_bytes() for path in copy.labs.glob("*/references/practice/*")}
    said = []
    release(copy, say=said.append)
    assert {
        path.name: path.read_bytes() for path in copy.labs.glob("*/references/practice/*")
    } == before
    assert not any("practice" in line for line in said)
    path = copy.solutions / "day-50" / "inspect.ipynb"
    path.write_text(path.read_text().replace("### END SOLUTION", "pass\\n    ### END SOLUTION", 1))
    release(copy, say=said.append)
    assert said[-1] == "day-50: 2 of 2 practice draws are new"
    release(copy, practice=0)
    assert not list(copy.labs.glob("*/references/practice/*"))


@pytest.mark.parametrize("exercise_id", exercises.ids())
def test_the_draws_in_labs_belong_to_todays_cases_and_solution(exercise_id):
    notebook = solutions()[exercise_id]
    references = ROOT / "labs" / notebook.parent.name / "references"
    assert len(practice.draws(references, exercise_id)) == draws.held(references.parent) > 0
    solution = read_notebooks(notebook.parent)[notebook.stem]
    assert draws.stale(exercises.get(exercise_id), solution, references) == [], (
        "type `course release` and commit labs/"
    )
