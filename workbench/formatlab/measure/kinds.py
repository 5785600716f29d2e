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
from typing import Any

import numpy as np

from formatlab.measure.errors import CannotBench
from formatlab.sqnr import sqnr


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One kind of output.

    `column` is its heading in a table and `cell` the format there, `said` the format in a sentence.
    Below `least` a variant computes something else. Where exact arithmetic is better by more than
    `lost`, the kernels of this processor are to be named; but not above `own`, where a file is as
    near to itself as kernels that round once otherwise leave it. `agreement` is minus infinite where an
    output has another shape or is not finite.
    """

    name: str
    column: str
    least: float
    lost: float
    cell: str
    said: str
    own: float
    agreement: Callable[[np.ndarray, np.ndarray], float]

    @property
    def perfect(self) -> float:
        """The agreement of equal outputs."""
        return math.inf if self.name == "numbers" else 1.0

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


# Numbers of a sixth of their range in the root mean square, every code of them one step of 255 off:
# 20 log10(255 / 6) = 32.6 dB. Kernels that round an intermediate code the other way stay above.
OWN_DECIBELS = 31.0
NUMBERS = Kind(
    name="numbers",
    column="SQNR dB",
    least=10.0,
    lost=1.0,
    cell="{:.1f}",
    said="SQNR {:.1f} dB",
    own=OWN_DECIBELS,
    agreement=sqnr,
)
VECTORS = Kind(
    name="vectors",
    column="cosine",
    least=0.95,
    lost=0.01,
    cell="{:.4f}",
    said="cosine {:.4f}",
    own=1.0,
    agreement=cosine,
)
CLASSES = Kind(
    name="classes",
    column="same class",
    least=0.9,
    lost=0.01,
    cell="{:.4f}",
    said="same class in {:.1%}",
    own=1.0,
    agreement=same_class,
)
LABELS = Kind(
    name="labels",
    column="same label",
    least=0.9,
    lost=0.01,
    cell="{:.4f}",
    said="same label in {:.1%}",
    own=1.0,
    agreement=same,
)
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


def _fitting(name: str, kind: Kind | None, value: Any) -> Kind | None:
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
    expected: Sequence[Any],
    found: Sequence[Any],
    mask: np.ndarray | None = None,
) -> dict[Kind, float]:
    """For each kind the lowest agreement of its outputs. Where an output has a value for each
    position of `mask`, only those count at which it is not 0: padding is no agreement.

    Outputs that agree because there is nothing in them to differ, such as all zeros, count as
    little: a kind that has no others is NaN, which is no agreement and no difference.
    """
    found_of: dict[Kind, list[float]] = {}
    for kind, value, other in zip(kinds, expected, found, strict=True):
        if kind is not None:
            value, other = _kept(value, mask), _kept(other, mask)
            agreed = kind.agreement(value, other)
            empty = agreed >= kind.perfect and says_nothing(kind, value)
            found_of.setdefault(kind, []).append(math.nan if empty else agreed)
    return {kind: _lowest(values) for kind, values in found_of.items()}


def _lowest(values: Sequence[float]) -> float:
    known = [value for value in values if not math.isnan(value)]
    return min(known) if known else math.nan


def says_nothing(kind: Kind, reference: object) -> bool:
    """Has this output no value that a wrong variant would be likely to miss? It is empty, or all
    zeros; or its scores name no class, because all scores of each row are the same.
    """
    values = np.asarray(reference)
    if not values.size:
        return True
    if kind == CLASSES:
        return bool((values == values[..., :1]).all())
    return kind != LABELS and not values.any()


def agreement(
    expected: Sequence[object], found: Sequence[object], mask: np.ndarray | None = None
) -> float:
    """The lowest SQNR of the outputs in decibels, integers included; infinite where there is none."""
    numbers = [
        NUMBERS if isinstance(value, np.ndarray) and value.dtype.kind in "fiub" else None
        for value in expected
    ]
    agreed = agreements(numbers, expected, found, mask).get(NUMBERS, math.inf)
    return math.inf if math.isnan(agreed) else agreed


def _kept(value: np.ndarray, mask: np.ndarray | None) -> np.ndarray:
    return value if mask is None or value.shape[: mask.ndim] != mask.shape else value[mask != 0]
