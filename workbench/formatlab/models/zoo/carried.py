"""A model carried through formats, and held against the numbers that it gave before."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from formatlab.measure import interleaved
from formatlab.measure.yardstick import same_function

Model = Callable[[Any], np.ndarray]
LABELS_KEPT = 0.99
MANY = 64  # images in a large batch


@dataclass(frozen=True, kw_only=True)
class Carried:
    """The model in one format: the files, how to get a callable model from them, what they store,
    and how its outputs compare.
    """

    name: str
    files: tuple[Path, ...]
    load: Callable[[], Model]
    stores: str
    verdict: str

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(path.stat().st_size for path in self.files)

    def __str__(self) -> str:
        return f"{self.name}: {self.verdict}; stores {self.stores}"


class Journey:
    """Every format that one model was carried through, compared by the same inputs."""

    def __init__(self, images: Any, expected: np.ndarray, exact: np.ndarray):
        """`images` is what models take, such as images or sentences. `expected` is what the float32
        original computes from them, with a row for each whose largest number is the label; `exact`
        is the original's float64 run.
        """
        self.images = images
        self.expected = expected
        self.exact = exact
        self.stops: list[Carried] = []

    def add(
        self, name: str, files: Sequence[Path], load: Callable[[], Model], stores: str
    ) -> Carried:
        """Load the model, run it on all images, and remember how it compares. Raises what loading
        or running raises.
        """
        verdict = judge(load()(self.images), self.expected, self.exact)
        self.stops = [stop for stop in self.stops if stop.name != name]  # a cell may run twice
        self.stops.append(
            Carried(name=name, files=tuple(files), load=load, stores=stores, verdict=verdict)
        )
        return self.stops[-1]

    def measured(self, rounds: int, weights: int) -> dict[str, dict[str, float]]:
        """Ratios of every stop by what was measured: `bytes` to `weights`, also bytes; times to
        those of the first stop.

        Times are medians of interleaved rounds.
        """
        models = {stop.name: stop.load() for stop in self.stops}
        ratios = {
            "bytes": {stop.name: stop.size / weights for stop in self.stops},
            "load": _to_first(interleaved({stop.name: stop.load for stop in self.stops}, rounds)),
        }
        for title, count in (("one image", 1), (f"{MANY} images", MANY)):
            calls = {name: partial(model, self.images[:count]) for name, model in models.items()}
            ratios[title] = _to_first(interleaved(calls, rounds))
        return ratios


def judge(found: np.ndarray, expected: np.ndarray, exact: np.ndarray) -> str:
    """`same` where `found` is as near to the float64 run `exact` as the float32 original `expected`
    is (`measure.yardstick`); `close` when it is not, and nearly all labels are kept; `other`;
    `shape`; `nan`.
    """
    if found.shape != expected.shape:
        return "shape"
    if not np.isfinite(found).all():
        return "nan"
    if same_function(found, expected, exact):
        return "same"
    return "close" if (found.argmax(1) == expected.argmax(1)).mean() >= LABELS_KEPT else "other"


def _to_first(seconds: dict[str, list[float]]) -> dict[str, float]:
    medians = {name: statistics.median(values) for name, values in seconds.items()}
    unit = next(iter(medians.values()))
    return {name: median / unit for name, median in medians.items()}
