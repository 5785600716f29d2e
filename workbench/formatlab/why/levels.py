"""Which optimization of a session is it? A model at every level, and without each optimizer that changed
it.

Values inside are never looked at here: a graph whose inner values are outputs is not fused, and the
fault is gone. The optimizers' names come out of ONNX Runtime's own log.
"""

from __future__ import annotations

import math
import os
import re
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from onnx import ModelProto

from formatlab.diff.judging import flattened
from formatlab.diff.places import decibels, decides
from formatlab.measure import saturation
from formatlab.measure.saturation import PRECISELY
from formatlab.measure.yardstick import Verdict, judge
from formatlab.numerics import Feeds
from formatlab.why import runs

MODIFIED = re.compile(rb"GraphTransformer (\S+) modified: 1")
RULES = "RuleBasedTransformer"
# The rules that ONNX Runtime applies under one name, which its log does not tell apart.
SINGLE_RULES = (
    "EliminateIdentity",
    "EliminateSlice",
    "UnsqueezeElimination",
    "EliminateDropout",
    "ExpandElimination",
    "CastElimination",
    "NoopElimination",
    "DivMulFusion",
    "FuseReluClip",
    "GemmSumFusion",
    "GemmTransposeFusion",
    "NotWhereFusion",
    "ConvAddFusion",
    "ConvMulFusion",
    "ConvBNFusion",
    "PadFusion",
    "MatmulBNFusion",
    "ClipQuantRewrite",
    "ReluQuantRewrite",
)
# A level of a quantized model may lose so much against the float model; more is a fault.
LOSS_DB = 6.0
FEWEST_DB = 60.0


@dataclass(frozen=True, kw_only=True)
class Fault:
    """`level` is the first that computes something else. `names` are optimizers of which one alone,
    left out, heals it; `settings` that a session entry for exact products does.
    """

    level: str
    text: str
    names: tuple[str, ...]
    saturates: bool
    sqnr_db: float
    verdict: Verdict | None


@dataclass(eq=False, kw_only=True)
class Measure:
    """How a level's outputs are judged: by float64 in units of the file's own float32 error, else by
    the SQNR against `wanted`, beside that of the session without optimization.
    """

    base: runs.Runs
    exact: runs.Runs | None
    wanted: runs.Runs | None

    def fails(self, found: runs.Runs) -> bool:
        verdict = self.verdict(found)
        if verdict is not None and verdict.reason not in ("undecided", "empty"):
            return decides(verdict)
        if self.wanted is not None:
            return self.loss(found) > LOSS_DB
        return self.level(self.base, found) < FEWEST_DB

    def verdict(self, found: runs.Runs) -> Verdict | None:
        return None if self.exact is None else judge(found, self.base, self.exact)

    def loss(self, found: runs.Runs) -> float:
        assert self.wanted is not None
        return self.level(self.wanted, self.base) - self.level(self.wanted, found)

    @staticmethod
    def level(wanted: runs.Runs, found: runs.Runs) -> float:
        return min(
            (decibels(one, other) for one, other in zip(wanted, found, strict=True)),
            default=float("inf"),
        )


def outputs(
    model: ModelProto,
    feeds: Sequence[Feeds],
    level: str,
    disabled: Sequence[str] = (),
    settings: dict[str, str] | None = None,
) -> runs.Runs:
    found = runs.session(model, level, disabled, settings=settings)
    return flattened([found.run(None, each) for each in feeds])


def fault(
    model: ModelProto,
    feeds: Sequence[Feeds],
    measure: Measure,
    say: Callable[[str], None],
    left: Callable[[], bool] = lambda: True,
) -> Fault | None:
    """Return what is wrong at the first level that is, None if all levels are sound."""
    for level in ("ENABLE_BASIC", "ENABLE_EXTENDED", "ENABLE_ALL"):
        say(level)
        found = outputs(model, feeds, level)
        if not measure.fails(found):
            continue
        names = _healing(model, feeds, level, measure, left)
        saturates = False
        if level != "ENABLE_BASIC":
            saturates = _is_exact_with(model, feeds, level, measure)
        loss = (
            f"loses {measure.loss(found):.0f} dB"
            if measure.wanted is not None and measure.exact is None
            else f"is at {measure.level(measure.base, found):.0f} dB"
        )
        verdict = measure.verdict(found)
        if verdict is not None and decides(verdict):
            loss = (
                f"is {verdict.units:.3g} units off"
                if math.isfinite(verdict.units)
                else "gives other numbers"
            )
        return Fault(
            level=level,
            text=f"at {level} the session {loss} against the one without optimization",
            names=tuple(names),
            saturates=saturates,
            sqnr_db=measure.level(measure.wanted or measure.base, found),
            verdict=verdict,
        )
    return None


def on_avx2(model: ModelProto, feeds: Sequence[Feeds], measure: Measure) -> str:
    """Return what happens to 8-bit products on an x86 processor without VNNI, as a sentence; empty where
    they do not saturate. It is computed, on whatever processor this is.
    """
    try:
        found = saturation.on_avx2(model, feeds)
        if not measure.fails(found) or measure.fails(
            saturation.on_avx2(model, feeds, precisely=True)
        ):
            return ""
    except Exception:  # an operator that cannot be written out  # noqa: BLE001
        return ""
    return (
        f"on an x86 processor without VNNI a session at ENABLE_ALL loses {measure.loss(found):.0f} dB, because products "
        f"of 8 bits saturate there, and keeps them with exact products: weights of 7 bits avoid it, "
        f"or the session entry {PRECISELY[0]}={PRECISELY[1]}"
    )


def _healing(
    model: ModelProto,
    feeds: Sequence[Feeds],
    level: str,
    measure: Measure,
    left: Callable[[], bool],
) -> list[str]:
    names = modifying(model, level)
    if measure.fails(outputs(model, feeds, level, names)):
        return []
    found = []
    for name in names:
        if not left():
            break
        if not measure.fails(outputs(model, feeds, level, [name])):
            found.append(name)
    if any(RULES in name for name in found):
        rules = [
            rule
            for rule in SINGLE_RULES
            if left() and not measure.fails(outputs(model, feeds, level, [rule]))
        ]
        if rules:
            found = [*rules, *(name for name in found if RULES not in name)]
    return found


def _is_exact_with(model: ModelProto, feeds: Sequence[Feeds], level: str, measure: Measure) -> bool:
    """Does exact 8-bit arithmetic heal it? Then products saturate on this processor."""
    for settings, disabled in (
        (dict([PRECISELY]), []),
        ({}, ["QDQS8ToU8Transformer"]),
    ):
        try:
            found = outputs(model, feeds, level, disabled, settings)
        except Exception:  # where two nodes share one zero point it refuses  # noqa: BLE001
            continue
        if not measure.fails(found):
            return any(node.op_type == "DequantizeLinear" for node in model.graph.node)
    return False


def modifying(model: ModelProto, level: str) -> list[str]:
    """Return the optimizers that changed the model, in their order: those that the log names."""
    sys.stderr.flush()
    with tempfile.TemporaryFile() as log:
        kept = os.dup(2)
        os.dup2(log.fileno(), 2)
        try:
            runs.session(model, level, log=0)
        finally:
            os.dup2(kept, 2)
            os.close(kept)
        log.seek(0)
        found = MODIFIED.findall(log.read())
    return list(dict.fromkeys(name.decode("utf-8", "replace") for name in found))
