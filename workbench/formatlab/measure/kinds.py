"""What kinds of outputs a model has, how agreement is measured on each, and the bar below which a
variant computes something else.

Each bar allows the same mistake: an error of a tenth. Numbers may have noise with a tenth of their
power, which is an SQNR of 10 dB. Such noise, unrelated to a vector, leaves a cosine of 1 / sqrt(1.1)
= 0.953. Of classes and labels one in ten may differ.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from formatlab.measure.errors import CannotBench
from formatlab.sqnr import sqnr


@dataclass(frozen=True)
class Kind:
    """One kind of output.

    `column` is its heading in a table and `cell` the format there, `said` the format in a sentence.
    Below `least` a variant computes something else. Where exact arithmetic is better by more than
    `lost`, the kernels of this processor are to be named. `agreement` is minus infinite where an
    output has another shape or is not finite.
    """

    name: str
    column: str
    least: float
    lost: float
    cell: str
    said: str
    agreement: Callable[[np.ndarray, np.ndarray], float]

    @property
    def exact(self) -> str:
        return f"{self.column} exact"


def cosine(reference: np.ndarray, found: np.ndarray) -> float:
    """The mean over the vectors, which lie along the last axis. Two vectors of zeros agree."""
    reference, found = np.asarray(reference, np.float64), np.asarray(found, np.float64)
    if not _comparable(reference, found):
        return -math.inf
    sizes = np.linalg.norm(reference, axis=-1) * np.linalg.norm(found, axis=-1)
    equal = (reference == found).all(axis=-1)
    products = (reference * found).sum(axis=-1) / np.where(sizes == 0, 1, sizes)
    return _mean(np.where(equal, 1.0, products))


def same_class(reference: np.ndarray, found: np.ndarray) -> float:
    """The share of rows whose largest entry, along the last axis, is at the same place."""
    if not _comparable(reference, found):
        return -math.inf
    return _mean(np.argmax(reference, axis=-1) == np.argmax(found, axis=-1))


def same(reference: np.ndarray, found: np.ndarray) -> float:
    return _mean(reference == found) if reference.shape == found.shape else -math.inf


def _comparable(reference: np.ndarray, found: np.ndarray) -> bool:
    both = np.isfinite(reference).all() and np.isfinite(found).all()
    return reference.shape == found.shape and bool(both)


def _mean(values: np.ndarray) -> float:
    return float(np.mean(values)) if np.size(values) else 1.0


NUMBERS = Kind("numbers", "SQNR dB", 10.0, 1.0, "{:.1f}", "SQNR {:.1f} dB", sqnr)
VECTORS = Kind("vectors", "cosine", 0.95, 0.01, "{:.4f}", "cosine {:.4f}", cosine)
CLASSES = Kind("classes", "same class", 0.9, 0.01, "{:.4f}", "same class in {:.1%}", same_class)
LABELS = Kind("labels", "same label", 0.9, 0.01, "{:.4f}", "same label in {:.1%}", same)
KINDS = (NUMBERS, VECTORS, CLASSES, LABELS)


def kind_named(text: str) -> Kind:
    """Raises CannotBench."""
    found = next((kind for kind in KINDS if kind.name == text.lower()), None)
    if found is None:
        known = ", ".join(kind.name for kind in KINDS)
        raise CannotBench(f"there is no kind of output {text!r}; there are {known}")
    return found


def kinds_of(
    declared: Mapping[str, Kind], names: Sequence[str], values: Sequence[object]
) -> list[Kind | None]:
    """The kind of each output: as declared under its name, or under no name for all outputs of
    floats; else by its type. None for what is no array. Raises CannotBench.
    """
    if unknown := sorted(declared.keys() - {"", *names}):
        raise CannotBench(
            f"there is no output {unknown[0]!r} for --outputs; the outputs are {', '.join(names)}"
        )
    usual = declared.get("", NUMBERS)
    outputs = zip(names, values, strict=True)
    return [
        _fitting(name, _kind(declared.get(name), usual, value), value) for name, value in outputs
    ]


def _fitting(name: str, kind: Kind | None, value: object) -> Kind | None:
    if kind in (VECTORS, CLASSES) and not np.ndim(value):
        raise CannotBench(f"the output {name!r} is one number, and --outputs says {kind.name}")
    return kind


def _kind(declared: Kind | None, of_floats: Kind, value: object) -> Kind | None:
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "fiubUO":
        return None
    if value.dtype.kind in "UO":  # text has nothing but equality
        return LABELS
    return declared or (of_floats if value.dtype.kind == "f" else LABELS)


def agreements(
    kinds: Sequence[Kind | None],
    expected: Sequence[object],
    found: Sequence[object],
    mask: np.ndarray | None = None,
) -> dict[Kind, float]:
    """For each kind the lowest agreement of its outputs. Where an output has a value for each
    position of `mask`, only those count at which it is not 0: padding is no agreement.
    """
    lowest: dict[Kind, float] = {}
    for kind, value, other in zip(kinds, expected, found, strict=True):
        if kind is not None:
            agreed = kind.agreement(_kept(value, mask), _kept(other, mask))
            lowest[kind] = min(agreed, lowest.get(kind, math.inf))
    return lowest


def agreement(
    expected: Sequence[object], found: Sequence[object], mask: np.ndarray | None = None
) -> float:
    """The lowest SQNR of the outputs in decibels, integers included; infinite where there is none."""
    numbers = [
        NUMBERS if isinstance(value, np.ndarray) and value.dtype.kind in "fiub" else None
        for value in expected
    ]
    return agreements(numbers, expected, found, mask).get(NUMBERS, math.inf)


def _kept(value: np.ndarray, mask: np.ndarray | None) -> np.ndarray:
    return value if mask is None or value.shape[: mask.ndim] != mask.shape else value[mask != 0]
