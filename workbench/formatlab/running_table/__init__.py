"""The table that the line of Lab 7-01 fills from page to page: one row for each file of MiniLM.

What depends on the machine, above all the times, is recorded in `minilm.json` when the page that
measures is written, and the page that decides reads it there.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from formatlab.show import grid

if TYPE_CHECKING:
    from formatlab.measure import Results
    from formatlab.show.grid import Grid

RECORDED = Path(__file__).with_name("minilm.json")
MISSING = "-"


@dataclass(frozen=True, kw_only=True)
class Time:
    """How many times float32's time a file takes, the median over the rounds, and its interval.

    `told_apart`: whether it differs from float32 by more than float32 differs from itself.
    """

    ratio: float
    low: float
    high: float
    told_apart: bool

    @classmethod
    def of(cls, results: Results, variant: str) -> Time:
        """Raises KeyError for a variant that was not measured."""
        ratio = results.ratio(variant)
        return cls(
            ratio=ratio.value,
            low=ratio.interval.low,
            high=ratio.interval.high,
            told_apart=results.told_apart(variant),
        )

    def __str__(self) -> str:
        if self.low == self.high == 1:  # float32 itself
            return "1"
        said = f"{self.ratio:.2f} ({self.low:.2f} to {self.high:.2f})"
        return said if self.told_apart else f"{said}, not told apart"


@dataclass(kw_only=True)
class Row:
    """What is known of one file.

    `megabytes`: 10^6 bytes. `error`: relative to the outputs in float64, over the tokens that count.
    `ranks`: for each query of the task the place of its right document, 1 for the first. `margins`:
    for each query by how much the cosine of its right document exceeds the best other one.
    `moved`: how many queries get another rank if they are asked alone and not in batches, None where
    that was not tried. `times`: by the number of tokens in the text.
    """

    variant: str
    how: str
    megabytes: float
    error: float
    ranks: list[int] = field(default_factory=list)
    margins: list[float] = field(default_factory=list)
    moved: int | None = None
    times: dict[int, Time] = field(default_factory=dict)

    @property
    def mrr(self) -> float | None:
        """The mean reciprocal rank; None where the task was not run."""
        return sum(1 / rank for rank in self.ranks) / len(self.ranks) if self.ranks else None


def table(rows: Iterable[Row], lengths: Iterable[int] = (16, 128)) -> Grid:
    """The rows as a table. A dash stands for what is not measured yet."""
    lengths = list(lengths)
    measured = ["variant", "MB", "error", "MRR", "other rank alone"]
    headings = [*measured, *(f"time, {n} tokens" for n in lengths)]
    return grid(headings, ([*_cells(row), *_times(row, lengths)] for row in rows))


def _cells(row: Row) -> list[str]:
    mrr = MISSING if row.mrr is None else f"{row.mrr:.3f}"
    moved = MISSING if row.moved is None else f"{row.moved} of {len(row.ranks)}"
    return [row.variant, f"{row.megabytes:.1f}", f"{100 * row.error:.2g} %", mrr, moved]


def _times(row: Row, lengths: Iterable[int]) -> list[str]:
    return [str(row.times.get(length, MISSING)) for length in lengths]


def to_text(rows: Iterable[Row], **about: Any) -> str:
    """The table as JSON, a line for each row; `about` says where and how it was measured."""
    lines = ",\n".join(json.dumps(asdict(row)) for row in rows)
    return f'{{"about": {json.dumps(about)},\n"rows": [\n{lines}\n]}}'


def from_text(text: str) -> tuple[Mapping[str, Any], list[Row]]:
    """What `to_text` was given: what is said of the measurement, and the rows."""
    data = json.loads(text)
    return data["about"], [_row(each) for each in data["rows"]]


def _row(data: dict[str, Any]) -> Row:
    times = {int(length): Time(**time) for length, time in data.pop("times").items()}
    return Row(**data, times=times)


def recorded() -> tuple[Mapping[str, Any], list[Row]]:
    """The table that was measured when the course's page was written."""
    return from_text(RECORDED.read_text(encoding="utf-8"))
