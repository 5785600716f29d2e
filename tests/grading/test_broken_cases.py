"""Cases that cannot be made are one line of `course grade`, whatever goes wrong in them."""

import pytest

from nbjudge import exercises
from nbjudge.grading.published.skeletons import Skeleton
from nbjudge.grading.reference.references import ReferenceFault, prepare

ASK = """
from nbjudge.values import ValueExercise

class Broken(ValueExercise):
    functions = {"broken": "broken(x) -> int"}
    minutes = 1

EXERCISE = Broken()
"""
MARKS = """
from nbjudge.rungs.values import ValueJudge

class BrokenJudge(ValueJudge):
    rungs = ()
    public = {}

    def drawn(self, rng):
        return {"one": open("weights that are not here")}

JUDGE = BrokenJudge()
"""


def test_cases_that_cannot_be_made_are_a_line(tmp_path):
    for name, source in {"ask.py": ASK, "judge/marks.py": MARKS}.items():
        path = tmp_path / "exercises" / "broken" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source)
    notebook = {
        "cells": [
            {
                "cell_type": "code",
                "source": 'check("broken", broken)',
                "metadata": {"nbgrader": {"grade": True}},
            }
        ]
    }
    try:
        exercises.use(tmp_path / "exercises")
        with pytest.raises(
            ReferenceFault,
            match=r"cases of broken cannot be made: exercises/broken/judge/marks\.py, line \d+, in "
            r"drawn: FileNotFoundError: .*weights that are not here",
        ):
            prepare(
                Skeleton(
                    assignment="week-1",
                    version="1",
                    notebooks={"broken": notebook},
                    solutions={"broken": notebook},
                    files={},
                ),
                seed=1,
            )
    finally:
        exercises.use(None)
