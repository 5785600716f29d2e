"""What an attack of the corpus is: a submission made by code, and what it may bring at most."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from nbjudge.course import stored
from nbjudge.exercises import get

ANSWERS = Path(__file__).resolve().parents[2] / "exercises" / "inspect" / "answers"
# Planted wherever a submission must not look. It stands in no submission, so wherever it turns up
# it was stolen.
CANARY = "canary-3f9ab0c7e1"
# What an attack prints when it finds what it must not see; written so that an attack's own source
# does not hold it.
FOUND = "".join(reversed("detibihorp-saw-ti"))
LOUD = """
def found(what):
    print("".join(reversed("detibihorp-saw-ti")), what)
"""

# The share of its points that the answer deserves which most attacks are built on.
WORTH = stored.one(ANSWERS / "first_opset.py").share(get("inspect"))
TESTED = {"inspect": "check-inspect", "dropout": "check-dropout", "first": "test-square"}
SOLVED = {"inspect": "describe", "dropout": "remove-dropout", "first": "square"}


@dataclass(frozen=True)
class Attack:
    """A submission of one notebook: the answer `base`, changed by `deed`, with other files that
    `write` leaves beside it.

    `most` is the share of the notebook's points that it may get; with `exactly` it must. `flagged`
    says whether the instructor is told of a change of given cells, None where that does not matter.
    With `costly` it waits for a budget to be over.
    """

    name: str
    theme: str
    lab: str
    base: str
    most: float
    deed: Callable[[dict], None] = lambda notebook: None
    write: Callable[[Path], None] = lambda folder: None
    exactly: bool = False
    flagged: bool | None = None
    status: str = "graded"
    costly: bool = False

    @property
    def student(self) -> str:
        return f"{self.theme}-{self.name}"

    @property
    def assignment(self) -> str:
        return "warm-up" if self.lab == "first" else "day-50"


def cell(notebook: dict, grade_id: str) -> dict:
    return next(
        cell
        for cell in notebook["cells"]
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == grade_id
    )


def tested(notebook: dict) -> dict:
    return next(
        cell
        for cell in notebook["cells"]
        if cell["metadata"].get("nbgrader", {}).get("grade_id") in TESTED.values()
    )


def solved(notebook: dict) -> dict:
    return next(
        cell
        for cell in notebook["cells"]
        if cell["metadata"].get("nbgrader", {}).get("grade_id") in SOLVED.values()
    )


def own(source: str, kind: str = "code", **fields) -> dict:
    """A cell of the student's own."""
    made = {"cell_type": kind, "metadata": {}, "source": source, **fields}
    return {**made, "outputs": [], "execution_count": None} if kind == "code" else made


def answering(source: str) -> Callable[[dict], None]:
    """The solution cell holds `source` instead."""

    def deed(notebook: dict) -> None:
        solved(notebook)["source"] = source

    return deed


def before(source: str) -> Callable[[dict], None]:
    """A cell in front of the solution's."""

    def deed(notebook: dict) -> None:
        notebook["cells"].insert(notebook["cells"].index(solved(notebook)), own(source))

    return deed


def behind(source: str, count: int = 1) -> Callable[[dict], None]:
    """Cells between the solution and the test."""

    def deed(notebook: dict) -> None:
        place = notebook["cells"].index(solved(notebook)) + 1
        notebook["cells"][place:place] = [own(source) for _ in range(count)]

    return deed


def at_the_end(source: str, count: int = 1) -> Callable[[dict], None]:
    """Cells behind the test."""
    return lambda notebook: notebook["cells"].extend(own(source) for _ in range(count))


def all_of(*deeds: Callable[[dict], None]) -> Callable[[dict], None]:
    def deed(notebook: dict) -> None:
        for one in deeds:
            one(notebook)

    return deed


def rewriting(name: str, change: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    """The notebook's file, changed as bytes."""

    def write(folder: Path) -> None:
        path = folder / f"{name}.ipynb"
        path.write_bytes(change(path.read_bytes()))

    return write


def as_json(change: Callable[[dict], object], lab: str = "inspect") -> Callable[[Path], None]:
    """The notebook's file, changed as JSON into whatever `change` returns (the notebook itself for
    None).
    """

    def changed(data: bytes) -> bytes:
        notebook = json.loads(data)
        other = change(notebook)
        return json.dumps(notebook if other is None else other).encode()

    return rewriting(lab, changed)
