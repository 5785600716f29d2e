"""Do two programs compute the same function in float32? Measured with float64 as the yardstick.

Two correct float32 programs differ in their last bits, because they add in different orders. How
much that is depends on the model: a sum that nearly cancels, or a layer that amplifies, makes it
larger than any formula about epsilon and the length of sums foresees. So it is measured. Run the
original once more in float64, where rounding hardly counts, and take how far its float32 run is from
that as the unit. A candidate computes the same function if it is no further from float64 than a few
such units:

    error(candidate, float64) <= 4 x error(float32 original, float64)

1. *The noise* of an output is the largest error of the original, over all inputs that were given.
2. *The floor.* No float32 number is nearer to an exact one than its spacing allows. So a number may
   always be off by 4 spacings of its own size, also where the original happens to be exact.
3. *The ill-conditioned case.* Where rounding costs the original `ILL` of its output or more, the
   verdict stands and says so: changes smaller than that cannot be seen in float32. Where it costs a
   tenth (`UNDECIDABLE`), nothing is decided.
4. *Shape and type come first*; integers, Booleans and text have no rounding and must be equal. NaN
   agrees with nothing. An infinity agrees with the same infinity in all three runs. Outputs that
   are empty or all zeros prove nothing.

A test is worth as much as what it refuses, so put a *control* beside each comparison: the same model
with one small change, which must be refused (`rounded`, `shifted`).

`same_function` says all this in ten lines that need nothing but NumPy; `judge` gives the same answer
with its reasons. float16, bfloat16 and INT8 change the function on purpose: they keep their SQNR and
a task.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

__all__ = ["ALLOWED", "EPS", "Verdict", "error", "judge", "same_function"]

EPS = float(np.finfo(np.float32).eps)
# How many units a candidate may be off. Other kernels for the same model stay between 0.4 and 2.6 on
# the course's models; rounding one matrix to float16 takes a hundred and more.
ALLOWED = 4
# A third of the 24 bits of a float32 is lost to rounding.
ILL = 2**8 * EPS
# `measure.kinds` allows a variant an error of a tenth. Where rounding may be as large, it decides
# nothing.
UNDECIDABLE = 0.1
# With fewer numbers than this, an original that is nearly exact by luck is no surprise.
FEW = 16

Output = np.ndarray
Outputs = Output | Sequence[Output] | Mapping[str, Output]
Runs = Outputs | Sequence[Sequence[Output]]


def same_function(candidate: np.ndarray, original: np.ndarray, exact: np.ndarray) -> bool:
    """Is `candidate` as near to the float64 run `exact` as the float32 `original`, within 4 times?"""
    if not candidate.shape == original.shape == exact.shape:
        return False
    finite = ~(np.isinf(exact) & (original == exact) & (candidate == exact))
    candidate, original, exact = candidate[finite], original[finite], exact[finite]
    own = np.abs(original - exact).max(initial=0)
    spacing = np.finfo(np.float32).eps * np.abs(exact)
    decidable = 4 * own < np.abs(exact).max(initial=0) / 10
    return bool(decidable and (np.abs(candidate - exact) <= 4 * np.maximum(own, spacing)).all())


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The verdict on the output that differs most.

    `reason` says why the candidate is refused: `count`, `shape`, `type`, `finite`, `value`, or
    `undecided`, where these inputs cannot tell; it is empty if both compute the same function.
    `error` and `own` are what candidate and original are off from float64, relative to the largest
    number of the output; `units` is the error in units of the noise, of which `ALLOWED` are
    allowed. All three are NaN where nothing was measured. `text` says it in a sentence.
    """

    same: bool
    reason: str
    text: str
    output: str = ""
    units: float = math.nan
    error: float = math.nan
    own: float = math.nan
    ill_conditioned: bool = False

    def __bool__(self) -> bool:
        return self.same

    def __str__(self) -> str:
        return self.text


def error(found: np.ndarray, exact: np.ndarray) -> float:
    """The largest difference, relative to the largest finite number of `exact`: NaN if a number is
    not finite in one of them alone, and infinite if they differ although `exact` is all zeros.
    """
    with np.errstate(invalid="ignore"):
        apart = np.abs(np.where(found == exact, 0, found - exact))
    largest = float(apart.max(initial=0))
    scale = _scale(exact)
    if largest == 0:
        return 0.0
    return largest / scale if scale else math.inf if largest > 0 else math.nan


def _scale(exact: np.ndarray) -> float:
    return float(np.abs(exact[np.isfinite(exact)]).max(initial=0))


def judge(
    candidate: Runs, original: Runs, exact: Runs, names: Sequence[str] | None = None
) -> Verdict:
    """Does `candidate` compute the same function as `original`, whose float64 run is `exact`?

    Each is one array; or the outputs of one run, as a sequence or by name; or a sequence of runs,
    each with its outputs in the same order. Of several runs the noise of an output is the largest,
    so give several inputs: with a few numbers alone, an original may be nearly exact by luck.
    `names` are those of the outputs, for the text.

    Raises TypeError where `exact` was not computed in float64, and ValueError where `original` and
    `exact` are not runs of one model: then there is no yardstick.
    """
    if isinstance(exact, Mapping):
        names = list(exact) if names is None else names
    wanted = _runs(original, names)
    truth = _runs(exact, names)
    found = _runs(candidate, names)
    _refuse_no_yardstick(wanted, truth)
    if [len(run) for run in found] != [len(run) for run in wanted]:
        counts = f"{_counted(wanted)} expected, {_counted(found)} found"
        return Verdict(same=False, reason="count", text=f"other: {counts}")
    verdicts = [
        _of_output(
            names[place] if names else f"output {place}" if len(truth[0]) > 1 else "",
            [run[place] for run in found],
            [run[place] for run in wanted],
            [run[place] for run in truth],
        )
        for place in range(len(truth[0]) if truth else 0)
    ]
    return _worst(verdicts)


def _runs(given: Runs, names: Sequence[str] | None) -> list[list[np.ndarray]]:
    if hasattr(given, "__array__") or np.isscalar(given):
        return [[np.asarray(given)]]
    if isinstance(given, Mapping):
        order = list(given) if names is None else [*names, *sorted(set(given) - set(names))]
        return [[np.asarray(given[name]) for name in order if name in given]]
    values = list(given)
    if values and all(isinstance(value, (list, tuple)) for value in values):
        return [[np.asarray(output) for output in run] for run in values]
    return [[np.asarray(output) for output in values]]


def _counted(runs: list[list[np.ndarray]]) -> str:
    outputs = sorted({len(run) for run in runs})
    return f"{' or '.join(map(str, outputs)) or 'no'} outputs in {len(runs)} runs"


def _refuse_no_yardstick(original: list[list[np.ndarray]], exact: list[list[np.ndarray]]) -> None:
    if [len(run) for run in original] != [len(run) for run in exact]:
        raise ValueError(
            f"`original` and `exact` have to be runs of one model on the same inputs: {_counted(original)} and {_counted(exact)}"
        )
    for run, true in zip(original, exact, strict=True):
        for value, truth in zip(run, true, strict=True):
            if value.shape != truth.shape:
                raise ValueError(
                    f"`original` and `exact` have to be runs of one model on the same inputs: shapes {value.shape} and {truth.shape}"
                )
            if value.dtype.kind in "fc" and truth.dtype not in (np.float64, np.complex128):
                raise TypeError(
                    f"the yardstick has to be computed in float64, and `exact` is {truth.dtype}: "
                    "`measure.float64` runs a PyTorch module or an ONNX model so"
                )


def _of_output(
    name: str, found: list[np.ndarray], original: list[np.ndarray], exact: list[np.ndarray]
) -> Verdict:
    where = f" in {name}" if name else ""
    for have, want in zip(found, original, strict=True):
        if have.shape != want.shape:
            text = f"other: shape {want.shape} expected{where}, {have.shape} found"
            return Verdict(same=False, reason="shape", text=text, output=name)
        if have.dtype != want.dtype and not (
            have.dtype.kind == want.dtype.kind and have.dtype.kind in "OUST"
        ):
            text = f"other: {want.dtype} expected{where}, {have.dtype} found"
            return Verdict(same=False, reason="type", text=text, output=name)
    kind = original[0].dtype
    if kind in (np.float32, np.float64, np.complex64, np.complex128):
        return _of_numbers(name, *(_joined(values) for values in (found, original, exact)))
    if kind.kind in "iubOUST":
        return _of_codes(name, *(_joined(values) for values in (found, original, exact)))
    text = (
        f"undecided: the original computes {kind}{where}, which rounds on purpose. "
        "This yardstick is for float32; judge lower precision by its SQNR and a task"
    )
    return Verdict(same=False, reason="undecided", text=text, output=name)


def _joined(values: list[np.ndarray]) -> np.ndarray:
    return np.concatenate([value.reshape(-1) for value in values])


def _of_codes(name: str, found: np.ndarray, original: np.ndarray, exact: np.ndarray) -> Verdict:
    """Integers, Booleans and text. Where float32 and float64 disagree, as at a tie, either is right."""
    right = (found == original) | (found == exact)
    where = f" in {name}" if name else ""
    if not right.size:
        return Verdict(same=False, reason="empty", text=f"undecided: no value{where}", output=name)
    if right.all():
        text = f"same: all {right.size} values{where} are equal"
        return Verdict(same=True, reason="", text=text, output=name)
    text = f"other: {1 - right.mean():.2%} of the {right.size} values{where} differ, which have no rounding"
    return Verdict(same=False, reason="value", text=text, output=name)


def _of_numbers(name: str, found: np.ndarray, original: np.ndarray, exact: np.ndarray) -> Verdict:
    where = f" of {name}" if name else ""
    equal = np.isinf(exact) & (original == exact) & (found == exact)
    found, original, exact = found[~equal], original[~equal], exact[~equal]
    if not exact.size:
        reason = "undecided" if equal.size else "empty"
        text = f"undecided: no finite number{where} was compared"
        return Verdict(same=False, reason=reason, text=text, output=name)
    if not (np.isfinite(original).all() and np.isfinite(exact).all()):
        text = f"undecided: the original itself computes NaN or infinity{where}, or does so in float32 alone. Choose other inputs"
        return Verdict(same=False, reason="undecided", text=text, output=name)
    if not np.isfinite(found).all():
        text = f"other: NaN or infinity{where}, where the original is finite"
        return Verdict(same=False, reason="finite", text=text, output=name)
    return _measured(name, where, found, original, exact)


def _measured(
    name: str, where: str, found: np.ndarray, original: np.ndarray, exact: np.ndarray
) -> Verdict:
    apart = np.abs(found - exact)
    own = np.abs(original - exact).max()
    noise = np.maximum(own, np.finfo(np.float32).eps * np.abs(exact))
    scale = np.abs(exact).max()
    off = error(found, exact)
    units = float(
        np.divide(apart, noise, out=np.where(apart > 0, np.inf, 0.0), where=noise > 0).max()
    )
    if not scale and not own:
        zeros = not apart.any()
        text = f"undecided: every number{where} is zero, which proves nothing. Choose other inputs"
        if not zeros:
            text = (
                f"other: numbers up to {apart.max():.1e}{where}, where the original computes zeros"
            )
        reason = "empty" if zeros else "value"
        return Verdict(
            same=False, reason=reason, text=text, output=name, units=units, error=off, own=0
        )
    if not ALLOWED * own < scale * UNDECIDABLE:
        text = (
            f"undecided: float32 itself is off by {error(original, exact):.1e} of the largest "
            f"number{where}, which hides every change. Choose other inputs, or compare both "
            "programs in float64"
        )
        return Verdict(
            same=False,
            reason="undecided",
            text=text,
            output=name,
            units=units,
            error=off,
            own=error(original, exact),
            ill_conditioned=True,
        )
    same = bool((apart <= ALLOWED * noise).all())
    relative = float(own / scale)
    ill = relative >= ILL
    unit = (
        f"float32's own error{where} ({relative:.1e})"
        if own
        else f"float32's spacing{where}, since the original is exact"
    )
    text = f"{'same' if same else 'other'}: {units:.3g} times {unit}, {ALLOWED} allowed"
    if ill:
        text += (
            f". The model is ill-conditioned: rounding costs it {relative:.1e} of its largest "
            "number, and a smaller change cannot be seen in float32"
        )
    if exact.size < FEW:
        text += f". These are {exact.size} numbers, too few to know float32's error well: give more inputs"
    return Verdict(
        same=same,
        reason="" if same else "value",
        text=text,
        output=name,
        units=units,
        error=off,
        own=relative,
        ill_conditioned=ill,
    )


def _worst(verdicts: list[Verdict]) -> Verdict:
    """Of several outputs. One that proves nothing is passed over if another proves something."""
    if not verdicts:
        return Verdict(same=False, reason="empty", text="undecided: there is no output")
    decided = [verdict for verdict in verdicts if verdict.reason != "empty"]

    def badness(verdict: Verdict) -> tuple[bool, bool, float]:
        units = math.inf if math.isnan(verdict.units) and not verdict.same else verdict.units
        return not verdict.same, verdict.reason != "undecided", 0.0 if math.isnan(units) else units

    return max(decided or verdicts, key=badness)
