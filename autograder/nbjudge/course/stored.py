"""Stored answers as files: each a docstring, `EXPECTED`, and the functions that a student would
write, in an exercise's folder `answers`.

With `BASE` and `EDITS` it is the answer BASE with some texts replaced; `BASE = "dropout/identity"`
is an answer of another exercise.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from nbjudge.contract import Exercise

DECLARED = ("EXPECTED", "BASE", "EDITS")
LAZY = ("argument", "constant", "library")
# What an answer loses that earns nothing.
EVERYTHING = "everything"
# What an answer earns at most that does not do the work at all.
MOST_FOR_NOTHING = 0.1
EXPECTED = Draft202012Validator(
    {
        "type": "object",
        "required": ["rung"],
        "additionalProperties": False,
        "properties": {
            "score": {"type": "number", "minimum": 0, "maximum": 1},
            "rung": {"type": ["string", "null"]},
            "loses": {
                "anyOf": [{"const": EVERYTHING}, {"type": "array", "items": {"type": "string"}}]
            },
            "keeps": {"type": "object", "additionalProperties": {"type": "string", "minLength": 1}},
            "message": {"type": "string"},
            "shows": {"type": ["string", "null"]},
            "lazy": {"enum": LAZY},
        },
    }
)


class AnswersError(RuntimeError):
    """The answers cannot be graded. The text says why."""


@dataclass(frozen=True)
class Stored:
    """One stored answer: what a student would have in the solution cell, and what it must get.
    `about` says what it does.

    Where the exercise has items, `loses` names those that it does not earn, or is EVERYTHING, and
    `keeps` says of each item that a lazy answer earns why this is right; elsewhere `score` is its
    share of the points.
    """

    name: str
    source: str
    _: KW_ONLY
    score: float | None = None
    rung: str | None
    loses: str | tuple[str, ...] = ()
    keeps: Mapping[str, str] = field(default_factory=dict)
    message: str = ""
    shows: str | None = None
    lazy: str = ""
    about: str = ""

    def lost(self, exercise: Exercise) -> set[str]:
        """The items of the exercise that it does not earn."""
        names = {item.name for item in exercise.items}
        return names if self.loses == EVERYTHING else set(self.loses)

    def share(self, exercise: Exercise) -> float:
        """The share of the exercise's points that it must get."""
        if not exercise.items:
            return self.score or 0.0
        lost = self.lost(exercise)
        return (
            1
            - math.fsum(each.points for each in exercise.items if each.name in lost)
            / exercise.points
        )

    def problem(self, exercise: Exercise) -> str:
        """Why what it declares cannot be of this exercise; empty where it can."""
        if not exercise.items:
            return "" if self.score is not None else "it declares no score"
        names = {item.name for item in exercise.items}
        if odd := sorted({*self.lost(exercise), *self.keeps} - names):
            return f"it names the item {odd[0]!r}, and there are {', '.join(sorted(names))}"
        if bool(self.lost(exercise)) != (self.rung is not None):
            return "it breaks a rung if, and only if, it loses an item: mend `loses` or `rung`"
        kept = names - self.lost(exercise)
        if self.lazy and (free := sorted(kept - self.keeps.keys())):
            return (
                f"it does none of the work and earns the item {free[0]!r}: give this item a case in which doing so is wrong, "
                f"or say in `keeps` why it is right"
            )
        return ""


def read(folder: Path) -> list[Stored]:
    """The answers in a folder, by name. Raises AnswersError, which names every file that is none."""
    answers = []
    problems = []
    for path in sorted(folder.glob("*.py")):
        try:
            answers.append(one(path))
        except AnswersError as error:
            problems.append(str(error))
    if problems:
        raise AnswersError("; ".join(problems))
    if not answers:
        raise AnswersError(f"{folder} holds no answers")
    return answers


def one(path: Path) -> Stored:
    """The answer in a file. Raises AnswersError."""
    try:
        about, declared, source = _parts(path.read_text())
        if "BASE" in declared:
            base = _parts(_edited(_base(path, declared["BASE"]), _edits(declared)))
            source = base[2]
        return Stored(path.stem, source, about=about, **_expected(declared))
    except SyntaxError as error:
        raise AnswersError(f"{path}, line {error.lineno}: SyntaxError: {error.msg}") from None
    except (OSError, ValueError) as error:
        raise AnswersError(f"{path} is no stored answer: {error}") from None


def _expected(declared: Mapping) -> dict:
    """Raises ValueError."""
    if "EXPECTED" not in declared:
        raise ValueError("it has no EXPECTED, which says what it must get")
    expected = declared["EXPECTED"]
    if problem := best_match(EXPECTED.iter_errors(expected)):
        at = "".join(f"[{key!r}]" for key in problem.absolute_path)
        raise ValueError(f"EXPECTED{at}: {problem.message}")
    if expected.get("lazy") and expected.get("score", 0) > MOST_FOR_NOTHING:
        raise ValueError(
            f"a lazy answer earns at most {MOST_FOR_NOTHING:g}, and it gets {expected['score']:g}"
        )
    loses = expected.get("loses", ())
    return {**expected, "loses": loses if isinstance(loses, str) else tuple(loses)}


def _edits(declared: Mapping) -> list[tuple[str, str]]:
    """Raises ValueError."""
    edits = declared.get("EDITS")
    if not isinstance(edits, list) or not all(
        isinstance(edit, tuple) and list(map(type, edit)) == [str, str] for edit in edits
    ):
        raise ValueError("it has a BASE, so EDITS must be a list of pairs: a text, and its new one")
    return edits


def _base(path: Path, name: object) -> str:
    """The text of the answer that the one in `path` differs from: `name` beside it, or
    `exercise/name`.
    """
    exercise, _, answer = str(name).rpartition("/")
    folder = path.parents[2] / exercise / "answers" if exercise else path.parent
    base = folder / f"{answer}.py"
    if not base.is_file():
        raise AnswersError(f"{path}: its BASE is {name!r}, and there is no file {base}")
    text = base.read_text()
    if "BASE" in _parts(text)[1]:
        raise AnswersError(f"{path}: its BASE {name!r} is a difference itself; name a whole answer")
    return text


def _parts(text: str) -> tuple[str, Mapping, str]:
    """What a file says of its answer, what it declares, and the lines that a student would write."""
    tree = ast.parse(text)
    assigned = [node for node in tree.body if isinstance(node, ast.Assign)]
    named = {getattr(node.targets[0], "id", ""): node for node in assigned}
    declared = {name: node for name, node in named.items() if name in DECLARED}
    about = ast.get_docstring(tree) or ""
    taken: set[int] = set()
    for node in (*tree.body[: bool(about)], *declared.values()):
        taken |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    lines = enumerate(text.splitlines(keepends=True), 1)
    source = "".join(line for number, line in lines if number not in taken).strip()
    return about, {name: _literal(name, node) for name, node in declared.items()}, source


def _literal(name: str, node: ast.Assign) -> object:
    try:
        return ast.literal_eval(node.value)
    except ValueError:
        said = f"line {node.lineno}: {name} must be written out, without calls or names"
        raise ValueError(said) from None


def _edited(source: str, edits: list[tuple[str, str]]) -> str:
    for old, new in edits:
        if source.count(old) != 1:
            raise ValueError(f"{source.count(old)} places in its BASE hold {old!r}")
        source = source.replace(old, new)
    return source
