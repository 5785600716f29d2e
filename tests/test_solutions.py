"""The solution notebooks say the truth about their exercises: points, examples, and the errors
quoted.
"""

import contextlib
import doctest
import io
import json
import re
from functools import cache
from pathlib import Path

import nbformat
import pytest
from nbgrader.preprocessors import ClearSolutions

from nbjudge import render
from nbjudge.exercises import get
from tests.mutants import (
    SEED,
    cases_of,
    exercises_with_mutants,
    grade_on,
    group_of,
    mutants,
    reference_functions,
    solutions,
    verdict,
)

ROOT = Path(__file__).parents[1]
# On the worker of the exercise's mutants, where their verdicts are known.
EXERCISES = [
    pytest.param(get(name), id=name, marks=pytest.mark.xdist_group(group_of(name)))
    for name in exercises_with_mutants()
]
pytestmark = pytest.mark.parametrize("exercise", EXERCISES)


def notebook_of(exercise):
    return nbformat.read(solutions()[exercise.id], as_version=4)


def cell_of(exercise, kind, function=""):
    """The only cell of nbgrader's kind (`solution` or `grade`) that holds `function`'s definition
    or its name.
    """
    [cell] = [
        c
        for c in notebook_of(exercise).cells
        if c.metadata.get("nbgrader", {}).get(kind) and function in c.source
    ]
    return cell


def prose(exercise):
    return "\n".join(
        cell.source for cell in notebook_of(exercise).cells if cell.cell_type == "markdown"
    )


@cache
def symptoms(exercise_id):
    """What students see of every stored wrong answer: before they hand in, and afterwards."""
    public = [case for case in cases_of(exercise_id, large=False) if case.public]
    verdicts = [
        each
        for mutant in mutants(exercise_id)
        if mutant.rung
        for each in (
            grade_on(exercise_id, mutant.functions, SEED, public),
            verdict(exercise_id, mutant.name),
        )
    ]
    return [" ".join(render.text(each).split()) for each in verdicts]


def test_the_test_cell_is_locked_and_has_the_points_of_the_exercise(exercise):
    cell = cell_of(exercise, "grade", f'check("{exercise.id}"')
    marks = cell.metadata.nbgrader
    assert (marks.grade_id, marks.points, marks.locked, marks.solution) == (
        exercise.grade_id,
        exercise.points,
        True,
        False,
    )
    assert cell.source == f'check("{exercise.id}", {", ".join(exercise.functions)})'


def test_given_cells_are_locked_and_only_solutions_are_open(exercise):
    for cell in notebook_of(exercise).cells:
        marks = cell.metadata.nbgrader
        assert marks.locked is not marks.solution
        assert marks.schema_version == 3 and cell.id
        assert cell.get("outputs", []) == [] and cell.get("execution_count") is None


def test_the_stub_runs_up_to_its_blank_and_differs_only_there(exercise):
    for name in exercise.functions:
        solution = cell_of(exercise, "solution", f"def {name}(")
        stub, _ = ClearSolutions().preprocess_cell(
            nbformat.from_dict(solution), {"language": "python"}, 0
        )
        blank = re.sub(
            r"[ ]*### BEGIN SOLUTION.*?### END SOLUTION",
            "    # YOUR CODE HERE\n    raise NotImplementedError()",
            solution.source,
            flags=re.S,
        )
        assert stub.source == blank
        namespace = dict(reference_functions(exercise.id)[name].__globals__)
        exec(stub.source, namespace)
        with pytest.raises(NotImplementedError):
            namespace[name](
                *[None]
                * len(namespace[name].__code__.co_varnames[: namespace[name].__code__.co_argcount])
            )


def test_the_worked_examples_are_true(exercise):
    for name, function in reference_functions(exercise.id).items():
        [example] = doctest.DocTestFinder(recurse=False).find(
            function, name, globs=dict(function.__globals__)
        )
        assert example.examples, f"{name} has no worked example"
        report = io.StringIO()
        with contextlib.redirect_stdout(report):
            failed, _ = doctest.DocTestRunner().run(example)
        assert failed == 0, report.getvalue()


def test_every_quoted_symptom_is_one_that_a_stored_answer_shows(exercise):
    quoted = re.findall(
        r"<summary><code>(.*?)</code></summary>", prose(exercise).split("### If you see this")[1]
    )
    assert quoted
    together = [each for each, path in solutions().items() if path == solutions()[exercise.id]]
    for symptom in quoted:
        assert any(symptom in shown for each in together for shown in symptoms(each)), symptom


def test_what_a_finding_says_to_read_is_there(exercise):
    pointers = {
        rung.read
        for mutant in mutants(exercise.id)
        if mutant.rung
        for rung in [verdict(exercise.id, mutant.name).broken]
    }
    for pointer in pointers - {""}:  # of a mistake that no section explains
        page, _, anchor = pointer.partition("#")
        cells = json.loads((ROOT / "notebooks" / f"{page}.ipynb").read_text())["cells"]
        headings = re.findall(
            r"^#+ (.+)$",
            "\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown"),
            flags=re.M,
        )
        targets = {
            re.sub(r"[^\w\s-]", "", heading.lower()).strip().replace(" ", "-")
            for heading in headings
        }
        named = set(
            re.findall(r'<a (?:id|name)="([^"]+)"', "".join("".join(c["source"]) for c in cells))
        )
        assert anchor in targets | named, pointer
