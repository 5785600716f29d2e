"""Practice: fresh cases of every hidden kind, for people without a grader.

What is right for a case comes from the instructor's own solution, which students do not have. So a
release draws the hidden kinds of cases some times, with seeds of its own, and ships what the
solution gives for them: `references/practice/<exercise>-<draw>.safetensors`. Draws are numbered
from 1. The seeds behind the numbers have 64 bits of their own: a class that is graded with a small
`--seed` does not meet the cases of a draw.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from nbjudge import typed
from nbjudge.contract import Case, Exercise, Reference
from nbjudge.references import read_references

FOLDER = "practice"
# `course check --practice` asks for practice in the notebook's kernel, where it cannot change the
# test cell: a number, or nothing for any.
VARIABLE = "NBJUDGE_PRACTICE"


class NoDraw(LookupError):
    """There is no such draw. The text says which there are, and what to do."""


def seed_of(draw: int) -> int:
    """The seed of a draw's cases."""
    return int.from_bytes(hashlib.sha256(f"practice/{draw}".encode()).digest()[:8], "little")


def cases(exercise: Exercise, draw: int) -> list[Case]:
    """The cases of a draw. Nothing about them has to be hidden, so findings tell as much as about
    those that ship with the lab.
    """
    return [replace(case, public=True) for case in exercise.cases(seed_of(draw))]


def path(references: Path, exercise_id: str, draw: int) -> Path:
    """Where the expected results of a draw lie, in a lab's folder `references`."""
    return references / FOLDER / f"{exercise_id}-{draw}.safetensors"


def draws(references: Path, exercise_id: str) -> list[int]:
    """The draws that a lab has for an exercise, in order."""
    names = (
        re.fullmatch(rf"{re.escape(exercise_id)}-([1-9]\d{{0,3}})\.safetensors", file.name)
        for file in references.glob(f"{FOLDER}/*")
    )
    return sorted(int(name[1]) for name in names if name)


def choose(references: Path, exercise_id: str, wanted: int | None) -> int:
    """The wanted draw, or any. Raises NoDraw."""
    there = draws(references, exercise_id)
    if not there:
        raise NoDraw(
            f"{references / FOLDER} holds no draws of {exercise_id}: {_more(references.parent)}, or check without practice."
        )
    if wanted is None:
        return random.SystemRandom().choice(there)
    if wanted not in there:
        raise NoDraw(f"{exercise_id} has no practice draw {wanted}: its draws are {_listed(there)}")
    return wanted


def read(references: Path, exercise_id: str, draw: int) -> Mapping[str, Reference]:
    """What the solution gives for the cases of a draw. Raises as `read_references`."""
    return read_references(path(references, exercise_id, draw))


def _listed(numbers: list[int]) -> str:
    is_row = numbers == list(range(numbers[0], numbers[-1] + 1)) and len(numbers) > 2
    return f"{numbers[0]} to {numbers[-1]}" if is_row else ", ".join(map(str, numbers))


def _more(lab: Path) -> str:
    """How a lab gets draws, by who reads it."""
    release = typed.release_of(lab, "--practice", 4)
    return f"to add some, type `{release}`" if release else "fetch the assignment again"
