"""What a call did besides its answer is told in the student's own process: in which exercises, and
how much hangs on it.

Whoever forges that report gets what a copy of the argument, made in the function's first line,
earns without forging anything.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
import pytest
from safetensors.numpy import load, save

from formatlab_exercises.shared.arrays import CHANGED
from nbjudge.contract import Answer
from nbjudge.exercises import get
from nbjudge.rungs.ladder import climb
from tests.mutants import (
    ROOT,
    SEED,
    asked_once,
    cases_of,
    exercises_with_mutants,
    group_of,
    reference_functions,
    references,
)

# Of an exercise's points.
MOST = 0.5
READING = {"held": 1 << 40, "read": 1 << 40}
LONG = ("capstone", "control_flow", "export", "int8_dynamic", "mend_export")
ARGUMENT = {
    "argument_changed": True,
    "changed": {bool: True, list: ["weights"]},
    "tensors": ["weight"],
}
EXERCISES = [
    pytest.param(
        name,
        id=name,
        marks=[
            pytest.mark.xdist_group(group_of(name)),
            *([pytest.mark.slow] if name in LONG else []),
        ],
    )
    for name in exercises_with_mutants()
]


def confessing(answer: Answer, what: Mapping) -> Answer:
    """The answer, as our adapter would report it had the call done `what`."""
    return replace(
        answer, files={name: _confessing(name, data, what) for name, data in answer.files.items()}
    )


def _confessing(name: str, data: bytes, what: Mapping) -> bytes:
    if name.endswith(".json"):
        return json.dumps(_told(json.loads(data), what)).encode()
    if name.endswith(".safetensors") and CHANGED in (arrays := load(data)):
        return save({**arrays, CHANGED: np.ones_like(arrays[CHANGED])})
    return data


def _told(found: object, what: Mapping) -> object:
    if isinstance(found, list):
        return [_told(each, what) for each in found]
    if not isinstance(found, dict):
        return found
    typed = {
        key: value[type(found[key])] if isinstance(value, dict) else value
        for key, value in what.items()
        if key in found
    }
    return {key: typed.get(key, _told(value, what)) for key, value in found.items()}


def share(name: str, what: Mapping) -> float:
    """The share of the points that the right answer loses when its reports say that it did `what`."""
    exercise, cases = get(name), cases_of(name, large=False)
    right = asked_once(exercise, reference_functions(name), cases)
    told = {case: confessing(answer, what) for case, answer in right.items()}
    return 1 - climb(exercise, cases, told, references(name, SEED, cases)).score / exercise.points


def listed() -> Iterator[str]:
    [told] = re.findall(
        r"It is part of one rung in (.*?)\.\s", (ROOT / "SECURITY.md").read_text(), re.DOTALL
    )
    yield from re.findall(r"`(\w+)`", told)


@pytest.mark.slow
@pytest.mark.parametrize("name", EXERCISES)
def test_little_hangs_on_what_a_call_did_to_its_argument(name):
    lost = share(name, ARGUMENT)
    assert (lost > 0) == (name in listed()), "SECURITY.md names the exercises"
    assert lost <= MOST


@pytest.mark.xdist_group("mutants-safetensors")
def test_a_fifth_hangs_on_how_much_of_a_file_was_read():
    assert 0 < share("safetensors", READING) <= 0.2 + 1e-9
