"""What students get besides the labs: of the judges, which a local check needs, what is an answer is
listed in SECURITY.md.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import formatlab_exercises
from nbjudge import exercises
from nbjudge.asking import ask
from nbjudge.contract import Case
from tests.mutants import ROOT, cases_of, grade, grade_on, group_of, reference_functions

SEED = 20261
PACKAGE = Path(formatlab_exercises.__path__[0])
# What is handed in unchanged, or is done by a library's default, may earn so much.
SHARE = 0.1
# So many hidden cases of a function are enough to see whether something is an answer to it.
FEW = 2


def callables(name: str) -> Iterator[tuple[str, Callable]]:
    """What the exercise's own modules define, and those that stand beside them for several:
    functions, and methods of what is made without arguments.
    """
    for package in (name, "shared"):
        for path in sorted((PACKAGE / package).rglob("*.py")):
            # `modules` are read, and not imported.
            if path.stem in ("modules", "__init__"):
                continue
            parts = path.relative_to(PACKAGE).with_suffix("").parts
            module = importlib.import_module(".".join(("formatlab_exercises", *parts)))
            for own, value in list(vars(module).items()):
                if getattr(value, "__module__", "") != module.__name__:
                    continue
                if inspect.isfunction(value):
                    yield f"{module.__name__}.{own}", value
                elif inspect.isclass(value):
                    for method, made in methods(value).items():
                        yield f"{module.__name__}.{own}().{method}", made


def methods(kind: type) -> dict[str, Callable]:
    try:
        made = kind()
    except Exception:  # whatever it says without arguments
        return {}
    return {
        name: getattr(made, name)
        for name, value in vars(kind).items()
        if inspect.isfunction(value) and not name.startswith("__")
    }


def takes(function: Callable, names: list[str]) -> bool:
    """Whether it can be called with the arguments of the task."""
    try:
        inspect.signature(function).bind(*names)
    except (TypeError, ValueError):
        return False
    return True


def arguments_of(signature: str) -> list[str]:
    """The names of those that have no default."""
    [function] = ast.parse(f"def {signature.partition(' ->')[0]}: pass").body
    names = [each.arg for each in function.args.args]
    return names[: len(names) - len(function.args.defaults)]


def disclosed() -> set[str]:
    text = (ROOT / "SECURITY.md").read_text()
    [line] = re.findall(
        r"- \*\*The judges of a student's own check\.\*\*.*?\n(?=- \*\*)", text, re.S
    )
    return set(re.findall(r"`(\w+)`", line)) & set(exercises.ids())


def calling(name: str, asked: str) -> list[Case]:
    """A few hidden cases that call the function."""
    exercise, found = exercises.get(name), []
    for case in cases_of(name, SEED, large=False):
        called = set()

        def note(which: str, *_arguments: object, **_named: object) -> None:
            called.add(which)  # noqa: B023

        if not case.public and len(found) < FEW:
            with tempfile.TemporaryDirectory() as scratch:
                notes = {each: partial(note, each) for each in exercise.functions}
                ask(exercise, notes, case, Path(scratch), line=lambda _question: 0)
            found += [case] if asked in called else []
    return found


def answering(name: str) -> list[str]:
    """The callables that are right about hidden cases of a function that the exercise asks for."""
    found = []
    for asked, signature in exercises.get(name).functions.items():
        few = calling(name, asked)
        for called, function in callables(name):
            if takes(function, arguments_of(signature)):
                taken = {**reference_functions(name), asked: function}
                verdict = grade_on(name, taken, SEED, few)
                found += [called] if verdict.broken is None and verdict.score else []
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.xdist_group(group_of(name))) for name in exercises.ids()],
)
def test_a_judge_is_an_answer_as_it_stands_only_where_that_is_said(name):
    assert not (found := answering(name)) or name in disclosed(), found


def around_calibration() -> dict[str, Callable]:
    from formatlab_exercises.calibration.judge import computed

    return {
        "entropy_cut": lambda counts, width, levels: computed.entropy(counts, levels) * width,
        "percentile_cut": lambda counts, width, keep: (
            int(np.argmax(computed.share(counts) >= keep) + 1) * width
        ),
    }


def around_cache() -> dict[str, Callable]:
    from formatlab_exercises.cache.judge import decoding

    return {
        "cache_wiring": decoding.wiring,
        "generate": lambda session, ids, steps: decoding._Loop(session, ids, "").run(steps).tokens,
    }


def around_shapes() -> dict[str, Callable]:
    from formatlab_exercises.shapes.judge.counting import Reading, count
    from formatlab_exercises.shapes.judge.formulas import Formula

    return {
        "conv_output_size": Formula().size,
        "shape_coverage": lambda model: count(model, Reading()),
    }


AROUND = {"calibration": around_calibration, "cache": around_cache, "shapes": around_shapes}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.xdist_group(group_of(name))) for name in AROUND]
)
def test_what_is_said_to_be_an_answer_is_one(name):
    assert disclosed() == AROUND.keys()
    assert grade(name, AROUND[name]()).score > SHARE * exercises.get(name).points
