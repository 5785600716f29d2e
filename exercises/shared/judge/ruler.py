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
from formatlab.measure.yardstick import ALLOWED, Verdict, judge
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
    for want, have in zip(_wanted(reference), found, strict=True):
        other = numerics.compare(want, have, list(names), math.inf)
        if other is not None:
            return other
    for place, name in enumerate(names):
        other = _of_numbers(name, _output(reference, found, place))
        if other is not None:
            return other
    return None


def units(reference: Mapping[str, np.ndarray], found: Sequence[Outputs]) -> float:
    """The largest error of an answer's runs, in units of what float32 costs the right model; of those
    outputs that have a float64 run, and numbers in it.
    """
    outputs = (_output(reference, found, place) for place in range(len(found[0])))
    verdicts = [_verdict("", runs) for runs in outputs if _has_yardstick(runs)]
    return max((each.units for each in verdicts if each.reason in ("", "value")), default=0.0)


def _wanted(reference: Mapping[str, np.ndarray]) -> list[Outputs]:
    return numerics.unpack(
        {key: value for key, value in reference.items() if not key.startswith(EXACT)}
    )


# Of one output, for each run: what was found, what is right, and that in float64.
Runs = Sequence[tuple[np.ndarray, np.ndarray, np.ndarray | None]]


def _output(reference: Mapping[str, np.ndarray], found: Sequence[Outputs], place: int) -> Runs:
    return [
        (have[place], want[place], reference.get(f"{EXACT}{run}/{place}"))
        for run, (have, want) in enumerate(zip(found, _wanted(reference), strict=True))
    ]


def _has_yardstick(runs: Runs) -> bool:
    return all(want.dtype == np.float32 and exact is not None for _, want, exact in runs)


def _verdict(name: str, runs: Runs) -> Verdict:
    found, original, exact = ([[each] for each in part] for part in zip(*runs, strict=True))
    return judge(found, original, exact, [name])


def _of_numbers(name: str, runs: Runs) -> Difference | None:
    """The difference in one output whose form is right."""
    if runs[0][1].dtype.kind != "f":
        return None  # they are equal, which `numerics.compare` has seen to
    if not _has_yardstick(runs):
        return _by_spacing(name, runs)
    verdict = _verdict(name, runs)
    if verdict.reason in ("empty", "undecided"):
        return _by_spacing(name, runs)
    if verdict.same:
        return None
    return Difference(
        kind="value",
        output=name,
        expected=f"at most {ALLOWED} times the error that float32 costs",
        found=f"{verdict.units:.3g} times",
        error=verdict.units,
    )


def _by_spacing(name: str, runs: Runs) -> Difference | None:
    """The difference in an output without a yardstick."""
    allowed = SPACINGS * float(np.finfo(runs[0][1].dtype).eps)
    pairs = [([want], [have]) for have, want, _ in runs]
    others = (numerics.compare(want, have, [name], allowed) for want, have in pairs)
    return next(filter(None, others), None)
