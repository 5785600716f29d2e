"""Measurements that know how to show and to store themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from formatlab.measure import files, plot, tables
from formatlab.measure.files import NotResults
from formatlab.measure.measurements import Measurements
from formatlab.measure.variant import Variant
from formatlab.picture import Picture


class Results(Measurements):
    """What `compare` returns. Shown as a table with the device card; `plot` draws it, `save` and
    `load` keep it.
    """

    def save(self, path: str | Path) -> None:
        """As JSON."""
        Path(path).write_text(files.text(self), encoding="utf-8")

    def to_json(self) -> dict:
        return files.to_json(self)

    @classmethod
    def from_json(cls, data: object) -> Results:
        """Raises NotResults."""
        try:
            return cls(**files.fields(data))
        except TypeError as problem:
            raise NotResults(f"this results file is incomplete: {problem}") from None

    @classmethod
    def load(cls, path: str | Path) -> Results:
        """Raises NotResults, and OSError where there is no file."""
        return cls.from_json(files.load(Path(path)))

    def plot(self, title: str = "") -> Picture:
        """The ratios as a picture with a description: a `Picture`."""
        return plot.plot(self, title)

    def _repr_mimebundle_(self, **_wanted: object) -> dict[str, str]:
        return {"text/html": tables.html(self), "text/plain": tables.text(self)}

    def __repr__(self) -> str:
        return tables.text(self)


def recorded(name: str) -> Results:
    """What the course measured, from its file `<name>.json`. Raises LookupError with the names that
    there are.
    """
    return Results.load(files.recorded(name))


def merged(parts: list[Results]) -> Results:
    """What several processes measured of the same variants, as one. Each has to have as many rounds
    as the others.
    """
    controls = [part.control for part in parts if part.control is not None]
    together = zip(*(part.variants for part in parts), strict=True)
    return replace(
        parts[0],
        variants=tuple(map(_joined, together)),
        control=_joined(controls) if parts[0].control else None,
        warm_up=max(part.warm_up for part in parts),
        steady=all(part.steady for part in parts),
        load_average=(parts[0].load_average[0], parts[-1].load_average[1]),
        processes=sum(part.processes for part in parts),
    )


def _joined(variants: Sequence[Variant]) -> Variant:
    cores = [variant.cores for variant in variants if variant.cores is not None]
    return replace(
        variants[0],
        seconds=tuple(each for variant in variants for each in variant.seconds),
        single=tuple(each for variant in variants for each in variant.single),
        first_seconds=float(np.median([variant.first_seconds for variant in variants])),
        cores=float(np.mean(cores)) if cores else None,
    )
