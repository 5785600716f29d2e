"""What a check found, as plain data: `Rung`, `Verdict`, JSON in and out."""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass, field

TEXT_LIMIT = 600


@dataclass(frozen=True)
class Rung:
    """One step of the ladder. `passed` is None when nothing was there to evaluate."""

    name: str
    points: float
    passed: bool | None
    cap: float | None = None
    case: str | None = None
    expected: str = ""
    found: str = ""
    cause: str = ""
    read: str = ""


@dataclass(frozen=True)
class Verdict:
    """The outcome of one exercise: its rungs in order, and the score that they give."""

    exercise: str
    score: float
    max_score: float
    rungs: tuple[Rung, ...] = field(default_factory=tuple)

    @property
    def broken(self) -> Rung | None:
        """The first broken rung: the one that the student is shown."""
        return next((rung for rung in self.rungs if rung.passed is False), None)

    def to_json(self) -> dict:
        return {**asdict(self), "rungs": [asdict(rung) for rung in self.rungs]}

    @classmethod
    def from_json(cls, data: object) -> Verdict:
        """Read a verdict that crossed a wall: every field checked, the score clamped, texts cut at `TEXT_LIMIT`.

        Raises ValueError when a field is missing or has the wrong type.
        """
        if not isinstance(data, dict) or not isinstance(data.get("rungs"), list):
            raise ValueError("a verdict is a JSON object with a list of rungs")
        max_score = _number(data.get("max_score"), "max_score")
        if max_score < 0:
            raise ValueError("max_score is negative")
        score = min(max(_number(data.get("score"), "score"), 0.0), max_score)
        rungs = tuple(_read_rung(rung) for rung in data["rungs"][:64])
        return cls(_text(data.get("exercise")), score, max_score, rungs)


def score(rungs: tuple[Rung, ...], max_score: float) -> float:
    """The sum of the passed rungs' points, then the lowest cap of any failed rung, as points."""
    earned = sum(rung.points for rung in rungs if rung.passed)
    caps = [rung.cap * max_score for rung in rungs if rung.passed is False and rung.cap is not None]
    return round(min([earned, max_score, *caps]), 4)


def _read_rung(data: object) -> Rung:
    if not isinstance(data, dict):
        raise ValueError("a rung is a JSON object")
    passed = data.get("passed")
    if passed is not None and not isinstance(passed, bool):
        raise ValueError("a rung's `passed` is true, false or null")
    cap, case = data.get("cap"), data.get("case")
    return Rung(
        name=_text(data.get("name")),
        points=_number(data.get("points"), "points"),
        passed=passed,
        cap=None if cap is None else _number(cap, "cap"),
        case=None if case is None else _text(case),
        **{key: _text(data.get(key)) for key in ("expected", "found", "cause", "read")},
    )


def _number(value: object, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) <= sys.float_info.max:
        raise ValueError(f"{what} is not a finite number")
    return float(value)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("a text field of the verdict is not a string")
    return value if len(value) <= TEXT_LIMIT else value[: TEXT_LIMIT - 1] + "…"
