"""An exercise of a course's own folder, which is not installed: found from anywhere in the course,
and in boxes with its proper half.
"""

import json
import textwrap

import pytest

from nbjudge import check, exercises
from nbjudge.checking import CheckFailed
from nbjudge.contract import JudgeAbsent
from nbjudge.grading.execution.checker import digest, judge
from nbjudge.grading.execution.runner import run_notebook

ASK = '''
"""`double`: twice a number."""

from typing import ClassVar

from nbjudge.contract import Exercise
from exercises.double import words


class Double(Exercise):
    functions: ClassVar = {"double": "double(x: int) -> int"}
    minutes: ClassVar = 5

    def call(self, functions, case, scratch):
        return {words.ANSWER: str(functions["double"](case.parameters["x"])).encode()}


EXERCISE = Double()
'''
MARKS = """
from typing import ClassVar

import numpy as np

from nbjudge.contract import Case, Finding, ItemSpec, Judge, RungSpec
from exercises.double import words


def is_double(view):
    if view.answer.outcome == "returned" and int(view.answer.files[words.ANSWER]) == view.reference["twice"]:
        return None
    return Finding("twice the number", "another number", "It is x + x.", "page#section")


class DoubleJudge(Judge):
    points = 2.0
    items: ClassVar = (
        ItemSpec(name="twice", title="twice the number", points=points, cases=("three", "hidden")),
    )
    rungs: ClassVar = (RungSpec("numerics", is_double),)

    def public_cases(self):
        return [Case("three", parameters={"x": 3}, public=True)]

    def cases(self, seed):
        return [Case("hidden", parameters={"x": seed % 100})]

    def digest(self, case, answer):
        return {"twice": np.array(int(answer.files[words.ANSWER]))}


JUDGE = DoubleJudge()
"""
LOOK = """
import pathlib
from nbjudge import exercises

print(sorted(str(path.relative_to("/exercises")) for path in pathlib.Path("/exercises").rglob("*")))
try:
    exercises.get("double").judge
except Exception as error:
    print(type(error).__name__)


def double(x):
    return 2 * x
"""


@pytest.fixture
def course(tmp_path, monkeypatch):
    folder = tmp_path / "course" / "exercises" / "double"
    for name, text in {
        "ask.py": ASK,
        "words.py": 'ANSWER = "twice.txt"\n',
        "judge/marks.py": MARKS,
        "answers/valid.py": "",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text.lstrip())
    lab = tmp_path / "course" / "labs" / "first"
    lab.mkdir(parents=True)
    monkeypatch.chdir(lab)
    return tmp_path / "course"


def test_it_is_found_from_a_lab_and_not_from_elsewhere(course, monkeypatch):
    exercise = exercises.get("double")
    assert (exercise.id, exercise.grade_id, exercise.points) == ("double", "check-double", 2.0)
    assert exercises.get("dropout").id in exercises.ids(), "the installed ones are still there"
    monkeypatch.chdir(course.parent)
    with pytest.raises(exercises.UnknownExercise):
        exercises.get("double")


def test_two_courses_may_have_one_of_the_same_id(course, monkeypatch):
    assert exercises.get("double").points == 2.0
    other = course.parent / "other" / "exercises" / "double"
    (course / "exercises" / "double").rename(course / "kept")
    other.parent.mkdir(parents=True)
    (course / "kept").rename(other)
    # Of another length: Python takes its compiled file for one of the same second and length.
    (other / "judge" / "marks.py").write_text(MARKS.replace("2.0", "17.0").lstrip())
    monkeypatch.chdir(other)
    assert exercises.get("double").points == 17.0


def test_its_check_says_what_is_missing(course):
    with pytest.raises(CheckFailed, match=r"double.safetensors is missing"):
        check("double", lambda x: 2 * x)


def test_student_code_sees_the_half_that_asks_and_the_checker_both(course):
    exercise = exercises.get("double")
    cases = exercise.graded_cases(21)
    test = {"nbgrader": {"grade_id": exercise.grade_id, "grade": True, "solution": False}}
    sources = [
        ("from nbjudge import check", {}),
        (textwrap.dedent(LOOK), {}),
        ('check("double", double)', test),
    ]
    notebook = {
        "cells": [
            {"cell_type": "code", "source": source, "metadata": meta} for source, meta in sources
        ]
    }
    run = run_notebook(notebook, {"double": cases})
    said = "".join(output.get("text", "") for output in run.cells[1].outputs).splitlines()
    assert json.loads(said[0].replace("'", '"')) == ["double", "double/ask.py", "double/words.py"]
    assert said[1] == JudgeAbsent.__name__
    references = digest("double", cases, run.answers["double"])
    assert judge("double", cases, run.answers["double"], references).score == 2.0
