"""What a check found, as plain data: `Rung`, `Item`, `Verdict`, JSON in and out."""

from __future__ import annotations

import sys
from dataclasses import KW_ONLY, asdict, dataclass, field, replace
from typing import Any

TEXT_LIMIT = 600
# More than any exercise has cases: it bounds what an untrusted verdict may hold.
MOST_FAILURES = 100
MOST_ITEMS = 64
# So many sentences on what an answer changed are shown.
MOST_CHANGES = 12
# Under which `check` shows a verdict as data, beside text and HTML, where `course check` reads it.
MIME = "application/vnd.nbjudge.verdict+json"


@dataclass(frozen=True)
class Failure:
    """One case that broke a rung, what was found of it, and what was expected of it."""

    case: str
    found: str
    expected: str = ""


@dataclass(frozen=True)
class Rung:
    """One step of the ladder. `passed` is None when nothing was there to evaluate.

    `case` and the texts after it are those of the first case that broke it, `misconception` the id
    of the mistake that explains it, if one is known. It looked at `cases` cases, `wrong` of them
    broke it, and `failed` lists them, at most `MOST_FAILURES`. `title` says in words what it looks
    at.
    """

    name: str
    passed: bool | None
    _: KW_ONLY
    case: str | None = None
    expected: str = ""
    found: str = ""
    cause: str = ""
    read: str = ""
    cases: int = 0
    wrong: int = 0
    failed: tuple[Failure, ...] = ()
    misconception: str = ""
    title: str = ""


@dataclass(frozen=True, kw_only=True)
class Item:
    """One thing that points are given for: all of its `points`, or none. `passed` is None when no
    case was there to decide it.

    `cases` of them decided, and `failed` names those that are wrong. They are the hidden ones, unless
    it `is_local`: in a check before handing in public ones stand for them. The texts are those of the
    first that is wrong, with the `rung` that it broke.
    """

    name: str
    title: str
    points: float
    passed: bool | None
    cases: int = 0
    is_local: bool = False
    failed: tuple[str, ...] = ()
    rung: str = ""
    case: str = ""
    expected: str = ""
    found: str = ""
    cause: str = ""
    read: str = ""
    misconception: str = ""


@dataclass(frozen=True)
class Verdict:
    """The outcome of one exercise: its rungs in order, the items that points are given for, and the
    score that these give. A step of a reading page has rungs alone.

    `changes` says in sentences what the answer changed of what it was given, in the case of the
    first broken rung; it is empty where that case is hidden.
    """

    exercise: str
    score: float
    max_score: float
    rungs: tuple[Rung, ...] = field(default_factory=tuple)
    _: KW_ONLY
    items: tuple[Item, ...] = ()
    changes: tuple[str, ...] = ()

    @property
    def broken(self) -> Rung | None:
        """The rung that the student is shown: the one that the first item that is lost broke, with
        what was found there. Without items it is the first broken one.
        """
        if self.items:
            return self._of_lost(self.lost[0]) if self.lost else None
        return next((rung for rung in self.rungs if rung.passed is False), None)

    @property
    def lost(self) -> tuple[Item, ...]:
        """The items that are not earned, in their order."""
        return tuple(item for item in self.items if item.passed is False)

    def _of_lost(self, item: Item) -> Rung:
        known = next((rung for rung in self.rungs if rung.name == item.rung), None)
        rung = known or Rung(item.rung, False)
        texts = ("case", "expected", "found", "cause", "read", "misconception")
        return replace(rung, passed=False, **{name: getattr(item, name) for name in texts})

    @property
    def unreached(self) -> str:
        """In words, the items that no case decided; empty where there are none."""
        names = [item.title for item in self.items if item.passed is None]
        return f"no case reaches {', '.join(names)}" if names else ""

    def to_json(self) -> dict[str, Any]:
        data = asdict(self)
        return {
            **data,
            "items": [{**item, "failed": list(item["failed"])} for item in data["items"]],
            "changes": list(data["changes"]),
            "rungs": [{**rung, "failed": list(rung["failed"])} for rung in data["rungs"]],
        }

    @classmethod
    def from_json(cls, data: object) -> Verdict:
        """Read a verdict that crossed a wall: every field checked, the score clamped, texts cut at
        `TEXT_LIMIT`.

        Raises ValueError when a field is missing or has the wrong type.
        """
        if not isinstance(data, dict) or not isinstance(data.get("rungs"), list):
            raise ValueError("a verdict is a JSON object with a list of rungs")
        max_score = _number(data.get("max_score"), "max_score")
        if max_score < 0:
            raise ValueError("max_score is negative")
        score = min(max(_number(data.get("score"), "score"), 0.0), max_score)
        rungs = tuple(_read_rung(rung) for rung in data["rungs"][:64])
        items = data.get("items", [])
        if not isinstance(items, list):
            raise ValueError("a verdict's `items` is a list")
        changes = data.get("changes", [])
        if not isinstance(changes, list):
            raise ValueError("a verdict's `changes` is a list")
        return cls(
            _text(data.get("exercise")),
            score,
            max_score,
            rungs,
            items=tuple(map(_read_item, items[:MOST_ITEMS])),
            changes=tuple(map(_text, changes[:MOST_CHANGES])),
        )


def _read_rung(data: object) -> Rung:
    if not isinstance(data, dict):
        raise ValueError("a rung is a JSON object")
    passed = data.get("passed")
    if passed is not None and not isinstance(passed, bool):
        raise ValueError("a rung's `passed` is true, false or null")
    case = data.get("case")
    failed = data.get("failed", [])
    if not isinstance(failed, list):
        raise ValueError("a rung's `failed` is a list")
    return Rung(
        name=_text(data.get("name")),
        passed=passed,
        case=None if case is None else _text(case),
        **{key: _text(data.get(key)) for key in ("expected", "found", "cause", "read")},
        cases=_count(data.get("cases", 0)),
        wrong=_count(data.get("wrong", 0)),
        failed=tuple(map(_read_failure, failed[:MOST_FAILURES])),
        **{key: _text(data.get(key, "")) for key in ("misconception", "title")},
    )


def _read_item(data: object) -> Item:
    if not isinstance(data, dict):
        raise ValueError("an item is a JSON object")
    passed = data.get("passed")
    failed = data.get("failed", [])
    if passed is not None and not isinstance(passed, bool):
        raise ValueError("an item's `passed` is true, false or null")
    if not isinstance(failed, list):
        raise ValueError("an item's `failed` is a list")
    points = _number(data.get("points"), "points")
    texts = ("rung", "case", "expected", "found", "cause", "read", "misconception")
    return Item(
        name=_text(data.get("name")),
        title=_text(data.get("title")),
        points=max(points, 0.0),
        passed=passed,
        cases=_count(data.get("cases", 0)),
        is_local=data.get("is_local") is True,
        failed=tuple(map(_text, failed[:MOST_FAILURES])),
        **{key: _text(data.get(key, "")) for key in texts},
    )


def _read_failure(data: object) -> Failure:
    if not isinstance(data, dict):
        raise ValueError("a failed case is a JSON object")
    return Failure(
        _text(data.get("case")), _text(data.get("found")), _text(data.get("expected", ""))
    )


def _count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 31:
        raise ValueError("a number of cases is not a count")
    return value


def _number(value: object, what: str) -> float:
    if (
        isinstance(value, bool)
        or not isinstance(value, (int, float))
        or not abs(value) <= sys.float_info.max
    ):
        raise ValueError(f"{what} is not a finite number")
    return float(value)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("a text field of the verdict is not a string")
    return value if len(value) <= TEXT_LIMIT else value[: TEXT_LIMIT - 1] + "…"
