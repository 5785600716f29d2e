"""What a comparison found: data, its summary, and the JSON file that keeps it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from workbench.measure.card import Card
from workbench.measure.estimators import Interval, median_interval, three_digits

SCHEMA = 1
# An A/A warning should be rare: with 11 rounds or more, one run in a thousand where nothing is wrong.
CONTROL_LEVEL = 0.999

# Beside the notebooks in a checkout; the wheel carries a copy.
RECORDED = (Path(__file__).parents[2] / "notebooks" / "lab-7-01" / "results", Path(__file__).parent / "recorded")


class NotResults(ValueError):
    """A file that holds no results that this version reads. The text says why."""


@dataclass(frozen=True)
class Variant:
    """One variant's seconds per call, one value for each round that counts.

    `first_seconds` is its very first call, `calls` how many calls one value is the mean of, `items` how many items (images, sentences)
    a call handles, `notes` what else is known of it, such as the provider or the SQNR.
    """

    name: str
    seconds: tuple[float, ...]
    first_seconds: float = 0.0
    calls: int = 1
    items: int = 1
    notes: dict[str, str] = field(default_factory=dict)

    @property
    def median(self) -> float:
        """Seconds."""
        return float(np.median(self.seconds))

    def quantile(self, share: float) -> float:
        """Seconds that this share of the calls did not exceed: 0.1 for p10."""
        return float(np.quantile(self.seconds, share))

    @property
    def throughput(self) -> float:
        """Items per second, of calls that follow one another."""
        return self.items / self.median


@dataclass(frozen=True)
class Ratio:
    """How many times the first variant's seconds: the median over the rounds of the two times of one round, and its interval."""

    value: float
    interval: Interval

    @property
    def resolved(self) -> bool:
        """Whether the interval leaves out 1."""
        return 1 not in self.interval

    def __str__(self) -> str:
        return f"{three_digits(self.value)} ({self.interval})"


@dataclass(frozen=True)
class Results:
    """What `compare` returns. Shown as a table with the device card; `plot` draws it, `save` and `load` keep it.

    `variants`: the first is the one that the others are compared with. `control`: the first variant measured a second time, as if it
    were another. `warm_up`: rounds left out at the beginning. `steady`: whether the rest looked steady. `load_average`: before
    and after the run, None where the system has none. `missing`: rows that could not be had, {name: reason}.
    """

    variants: tuple[Variant, ...]
    card: Card
    date: str
    warm_up: int
    steady: bool
    load_average: tuple[float | None, float | None]
    threads: int | None = None
    control: Variant | None = None
    seed: int = 0
    level: float = 0.95
    name: str = ""
    command: str = ""
    missing: dict[str, str] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Variant:
        """Raises KeyError for a name that was not measured."""
        for variant in self.variants:
            if variant.name == name:
                return variant
        raise KeyError(f"no variant {name!r} here; there are {', '.join(self.names)}")

    @property
    def names(self) -> list[str]:
        return [variant.name for variant in self.variants]

    @property
    def rounds(self) -> int:
        """Rounds that count."""
        return len(self.variants[0].seconds)

    def interval(self, name: str) -> Interval:
        """Of the median, in seconds."""
        return median_interval(self[name].seconds, self.level)

    def ratio(self, name: str) -> Ratio:
        """To the first variant: below 1 is faster."""
        return self._ratio(self[name], self.level)

    @cached_property
    def ratios(self) -> dict[str, Ratio]:
        return {name: self.ratio(name) for name in self.names}

    @property
    def control_ratio(self) -> Ratio | None:
        """A/A: the first variant to itself. Its interval should hold 1."""
        return self._ratio(self.control, CONTROL_LEVEL) if self.control else None

    @property
    def sound(self) -> bool:
        """Whether the run looked steady and the A/A interval, where there is one, holds 1."""
        return self.steady and not (self.control_ratio and self.control_ratio.resolved)

    @property
    def verdict(self) -> str:
        """In words: whether the run can be trusted, then each variant against the first."""
        lines = []
        if not self.steady:
            lines.append("No steady part was found: the machine or a variant still changed when half of the rounds were over.")
        if self.control_ratio and self.control_ratio.resolved:
            lines.append(f"The A/A interval, {self.control_ratio.interval}, leaves out 1: differences of that size mean nothing here.")
        for variant in self.variants[1:]:
            ratio, first = self.ratio(variant.name), self.names[0]
            kind = ("slower" if ratio.value > 1 else "faster") if ratio.resolved else "not told apart"
            lines.append(f"{variant.name} takes {ratio} times as long as {first}: {kind}.")
        return " ".join(lines) or f"{self.names[0]} alone: nothing to compare."

    def to_json(self) -> dict:
        """`schema`, `verdict` and `summary` are there for other readers: `from_json` computes them again."""
        summary = {
            variant.name: {
                "median": variant.median,
                "median_interval": list(self.interval(variant.name)[:2]),
                "p10": variant.quantile(0.1),
                "p90": variant.quantile(0.9),
                "items_per_second": variant.throughput,
                "ratio": self.ratio(variant.name).value,
                "ratio_interval": list(self.ratio(variant.name).interval[:2]),
            }
            for variant in self.variants
        }
        return _rounded({"schema": SCHEMA, **asdict(self), "verdict": self.verdict, "summary": summary})

    @classmethod
    def from_json(cls, data: object) -> Results:
        """Raises NotResults."""
        if not isinstance(data, Mapping) or data.get("schema") != SCHEMA:
            found = data.get("schema") if isinstance(data, Mapping) else None
            raise NotResults(f"this is no results file of schema {SCHEMA}: its schema is {found!r}")
        kept = {key: value for key, value in data.items() if key not in ("schema", "verdict", "summary")}
        try:
            variants = tuple(_variant(each) for each in kept.pop("variants"))
            control = kept.pop("control")
            card, load_average = Card.from_json(kept.pop("card")), tuple(kept.pop("load_average"))
            return cls(variants=variants, control=control and _variant(control), card=card, load_average=load_average, **kept)
        except (KeyError, TypeError) as problem:
            raise NotResults(f"this results file is incomplete: {problem}") from None

    def save(self, path: str | Path) -> None:
        """As JSON."""
        Path(path).write_text(json.dumps(self.to_json(), indent=1, allow_nan=False) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: str | Path) -> Results:
        """Raises NotResults, and OSError where there is no file."""
        try:
            return cls.from_json(json.loads(Path(path).read_text(encoding="utf-8")))
        except ValueError as problem:
            raise problem if isinstance(problem, NotResults) else NotResults(f"{Path(path).name} is not JSON: {problem}") from None

    def against(self, name: str) -> Results:
        """The same measurements, compared with another variant. Raises KeyError."""
        first = self[name]
        others = tuple(variant for variant in self.variants if variant is not first)
        return replace(self, variants=(first, *others), control=self.control if self.control and self.control.name == name else None)

    def plot(self, title: str = ""):
        """The ratios as a picture with a description: a `Picture`."""
        from workbench.measure.plot import plot

        return plot(self, title)

    def _ratio(self, variant: Variant, level: float) -> Ratio:
        pairs = np.divide(variant.seconds, self.variants[0].seconds)
        return Ratio(float(np.median(pairs)), median_interval(pairs, level))

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict[str, str]:
        from workbench.measure import tables

        return {"text/html": tables.html(self), "text/plain": tables.text(self)}

    def __repr__(self) -> str:
        from workbench.measure import tables

        return tables.text(self)


def recorded(name: str) -> Results:
    """What the course measured, from its file `<name>.json`. Raises LookupError with the names that there are."""
    folder = next(filter(Path.is_dir, RECORDED), RECORDED[-1])
    path = folder / f"{name}.json"
    if not path.is_file():
        raise LookupError(f"nothing is recorded as {name!r}; there are {', '.join(sorted(each.stem for each in folder.glob('*.json')))}")
    return Results.load(path)


def _variant(data: Mapping) -> Variant:
    return Variant(**{**data, "seconds": tuple(data["seconds"])})


def _rounded(value):
    """Floats to six digits: more is noise, and makes files long."""
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, Mapping):
        return {key: _rounded(each) for key, each in value.items()}
    return [_rounded(each) for each in value] if isinstance(value, list | tuple) else value
