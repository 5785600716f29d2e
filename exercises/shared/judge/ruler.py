"""Whether a model gives the outputs that it should, with float64 as the yardstick
(`formatlab.measure.yardstick`): an error is counted in units of what float32 costs the right model
itself. `ALLOWED` lies in the middle of a margin for other processors: right answers stay below half
of it, and answers with wrong numbers above its double.

What has no float64 run, because it rounds to fewer bits on purpose, is compared by the spacing of
its type: `SPACINGS` of the largest number. Integers, Booleans and outputs of zeros are equal.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from onnx import ModelProto

from formatlab import numerics
from formatlab.measure import float64
from formatlab.measure.yardstick import ALLOWED, judge
from formatlab.numerics import Difference, Feeds, Outputs

EXACT = "exact/"
SPACINGS = 16.0


def digest(data: bytes, inputs: Iterable[Feeds]) -> dict[str, np.ndarray]:
    """What the right model gives: its outputs as it is written, `<run>/<position>`, and the same in
    float64 as `exact/<run>/<position>`, where it has a float64 run.

    Raises what running it raises.
    """
    feeds = list(inputs)
    kept = numerics.pack([outputs[0] for outputs in numerics.run(data, feeds)])
    try:
        exact = float64.of_onnx(ModelProto.FromString(data), feeds).runs
    except float64.NoFloat64:
        return kept
    return kept | {f"{EXACT}{key}": value for key, value in numerics.pack(exact).items()}


def difference(
    reference: Mapping[str, np.ndarray], found: Sequence[Outputs], names: Sequence[str]
) -> Difference | None:
    """The first difference between an answer's runs and the right ones; None if there is none.
    `reference` is what `digest` gave.
    """
    stored = [key for key in reference if not key.startswith(EXACT)]
    wanted = numerics.unpack({key: reference[key] for key in stored})
    for want, have in zip(wanted, found, strict=True):
        other = numerics.compare(want, have, list(names), math.inf)
        if other is not None:
            return other
    for place, name in enumerate(names):
        runs = [
            (have[place], want[place], reference.get(f"{EXACT}{run}/{place}"))
            for run, (have, want) in enumerate(zip(found, wanted, strict=True))
        ]
        other = _of_numbers(name, runs)
        if other is not None:
            return other
    return None


def _of_numbers(
    name: str, runs: Sequence[tuple[np.ndarray, np.ndarray, np.ndarray | None]]
) -> Difference | None:
    """The difference in one output. Each run is what was found, what is right, and that in float64."""
    kind = runs[0][1].dtype
    if kind.kind != "f":
        return None  # equal: `numerics.compare` has seen to it
    exact = [truth for _, _, truth in runs if truth is not None]
    if kind == np.float32 and len(exact) == len(runs):
        verdict = judge(
            [[have] for have, _, _ in runs],
            [[want] for _, want, _ in runs],
            [[truth] for truth in exact],
            [name],
        )
        if verdict.same:
            return None
        if verdict.reason not in ("empty", "undecided"):
            return Difference(
                kind="value",
                output=name,
                expected=f"at most {ALLOWED} times the error that float32 costs",
                found=f"{verdict.units:.3g} times",
                error=verdict.units,
            )
    return _by_spacing(name, runs)


def _by_spacing(
    name: str, runs: Sequence[tuple[np.ndarray, np.ndarray, np.ndarray | None]]
) -> Difference | None:
    """The difference in an output without a yardstick."""
    allowed = SPACINGS * float(np.finfo(runs[0][1].dtype).eps)
    pairs = [([want], [have]) for have, want, _ in runs]
    others = (numerics.compare(want, have, [name], allowed) for want, have in pairs)
    return next(filter(None, others), None)
