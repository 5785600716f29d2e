"""What the search found, as data and as sentences."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from typing import Any

VERSION = 1
ROUNDING = "rounding"
DIFFERENT = "different"
UNDECIDED = "undecided"
KINDS = (
    "attribute",
    "operator",
    "weight",
    "layout",
    "opset",
    "cast",
    "float16-overflow",
    "float16-underflow",
    "saturation",
    "range",
    "optimization",
    "training-mode",
    "inputs",
)


@dataclass(frozen=True, kw_only=True)
class Where:
    """`node` is what B's node is called, its name or what it writes; `output` what it writes; `region`
    all nodes of B between the values, each by what it writes. `a_value` and `b_value` give the
    difference, `given` are the values of B at which the part begins.
    """

    node: str
    operator: str
    output: str
    region: tuple[str, ...] = ()
    a_value: str = ""
    b_value: str = ""
    given: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Cause:
    """`kind` is one of `KINDS`, or empty. `units` is what is added there before and after the repair,
    in units of the original's own error, `sqnr_db` the same in dB; None where it was not measured.
    """

    kind: str
    proved: bool
    sentence: str
    where: Where | None = None
    units: tuple[float | None, float | None] = (None, None)
    sqnr_db: tuple[float | None, float | None] = (None, None)


@dataclass(kw_only=True)
class Answer:
    """`verdict` is rounding, different or undecided. `where` and `cause` are those of the first of
    `causes`. `numbers` has `units` (of the outputs, in units of the original's own error against
    float64), `sqnr_db` of the worst output, and `after_units` with all proved causes repaired.
    """

    verdict: str = UNDECIDED
    headline: str = ""
    causes: list[Cause] = field(default_factory=list)
    numbers: dict[str, float | None] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    reproducer: str | None = None
    inputs: str = ""
    seconds: float = 0.0
    complete: bool = False

    @property
    def where(self) -> Where | None:
        return self.causes[0].where if self.causes else None

    @property
    def cause(self) -> Cause | None:
        return self.causes[0] if self.causes else None

    @property
    def text(self) -> str:
        """The answer in sentences, a line each."""
        lines = [f"{self.verdict.capitalize()}: {self.headline}"]
        for cause in self.causes:
            if cause.where is not None:
                lines.append(f"Where: {_place(cause.where)}.")
            label = "Cause, proved" if cause.proved else "Cause, not proved"
            lines.append(f"{label}{f' ({cause.kind})' if cause.kind else ''}: {cause.sentence}.")
        after = self.numbers.get("after_units")
        level = self.numbers.get("after_sqnr_db")
        if self.causes and after is not None and after <= 4:
            lines.append(
                f"With that repaired, the outputs of the whole model are {after:.2g} units off."
            )
        elif self.causes and level is not None:
            lines.append(
                f"With that repaired, the outputs of the whole model are {level:.0f} dB above the difference."
            )
        lines += [f"Note: {note.rstrip('.')}." for note in self.notes]
        if self.reproducer:
            lines.append(f"A reproducer is in {self.reproducer}: python reproduce.py")
        return "\n".join(lines)

    def to_json(self) -> dict[str, Any]:
        """The answer for programs. `schema` is 1 as long as keys keep their meaning."""
        first = self.cause
        return {
            "schema": VERSION,
            "verdict": self.verdict,
            "headline": self.headline,
            "where": asdict(first.where) if first and first.where else None,
            "cause": _cause(first) if first else None,
            "causes": [
                {**_cause(each), "where": asdict(each.where) if each.where else None}
                for each in self.causes
            ],
            "numbers": {name: finite(value) for name, value in self.numbers.items()},
            "notes": self.notes,
            "reproducer": self.reproducer,
            "inputs": self.inputs,
            "seconds": round(self.seconds, 2),
            "complete": self.complete,
        }

    @classmethod
    def of_json(cls, found: dict[str, Any]) -> Answer:
        """The opposite of `to_json`."""
        causes = [
            Cause(
                kind=each["kind"],
                proved=each["proved"],
                sentence=each["sentence"],
                where=_where(each["where"]),
                units=tuple(each["units"]),
                sqnr_db=tuple(each["sqnr_db"]),
            )
            for each in found["causes"]
        ]
        return cls(
            verdict=found["verdict"],
            headline=found["headline"],
            causes=causes,
            numbers=found["numbers"],
            notes=found["notes"],
            reproducer=found["reproducer"],
            inputs=found["inputs"],
            seconds=found["seconds"],
            complete=found["complete"],
        )

    def __str__(self) -> str:
        return self.text


def _cause(cause: Cause) -> dict[str, Any]:
    return {
        "kind": cause.kind,
        "proved": cause.proved,
        "sentence": cause.sentence,
        "units": [finite(value) for value in cause.units],
        "sqnr_db": [finite(value) for value in cause.sqnr_db],
    }


def _where(found: dict[str, Any] | None) -> Where | None:
    if found is None:
        return None
    return Where(**{**found, "region": tuple(found["region"]), "given": tuple(found["given"])})


def _place(where: Where) -> str:
    text = f"{where.operator} `{where.node}`"
    others = len(where.region) - 1
    if others > 0:
        text += (
            ", or the node beside it"
            if others == 1
            else f", or one of the {others} nodes beside it"
        )
    if where.given and where.b_value:
        first = ", ".join(f"`{name}`" for name in where.given[:3])
        text += f", between {first} and `{where.b_value}`"
    elif where.b_value and where.b_value != where.node:
        text += f", which gives `{where.b_value}`"
    if where.a_value and where.a_value != where.b_value:
        text += f" (A's `{where.a_value}`)"
    return text


def finite(value: float | None) -> float | None:
    """JSON has no NaN and no infinity."""
    return float(value) if value is not None and math.isfinite(value) else None
