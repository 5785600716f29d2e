"""How far each variant's outputs stand from the model as given, as this processor computes them and
as arithmetic has them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import onnx

from formatlab import graphs, quantized, quantized_operators
from formatlab.measure.errors import CannotBench
from formatlab.measure.kinds import KINDS, NUMBERS, Kind, agreements, kinds_of
from formatlab.measure.measurements import Measurements
from formatlab.measure.request import BenchRequest
from formatlab.measure.saturation import saturates
from formatlab.measure.sessions import CPU, Runner
from formatlab.measure.setup import Feeds, Setup

# The SQNR of the same file where no sum saturates: it is that of every processor whose kernels are
# exact.
NATIVE = NUMBERS.column
EXACT = NUMBERS.exact
# What is written out in float takes memory; beyond this size it is left alone.
LARGEST_BYTES = 2**30
MASK = "attention_mask"
# In place of a perfect agreement of outputs that hold nothing.
NOTHING = "nothing"
OTHER_KINDS = " If they are vectors that are compared, or scores of classes, say so: --outputs vectors, --outputs classes."


@dataclass
class Quality:
    """`reference`: the outputs that the others are held against. `kinds`: what they are. `mask`:
    where they count.

    `exact`: outputs in exact arithmetic by file, None where there are none.
    """

    reference: list[np.ndarray]
    kinds: list[Kind | None]
    mask: np.ndarray | None
    exact: dict[Path, list[np.ndarray] | None] = field(default_factory=dict)

    @classmethod
    def of(cls, request: BenchRequest, feeds: Feeds, level: str = "all") -> Quality:
        """A quantized file is its own reference, computed exactly; any other as the CPU computes
        it at that optimization level. Raises CannotBench.
        """
        mask = request.mask or MASK
        if request.mask and request.mask not in feeds:
            raise CannotBench(
                f"there is no input {request.mask!r} for --mask; the inputs are {', '.join(feeds)}"
            )
        native = Runner(request.model, feeds, CPU, level=level).outputs()
        exact = exactly(request.model, feeds)
        reference = native if exact is None else exact
        names = [output.name for output in _graph(request.model).output]
        kinds = kinds_of(request.outputs, names, reference)
        return cls(reference, kinds, feeds.get(mask), {request.model: exact})

    def notes(self, setup: Setup, runner: Runner, feeds: Feeds) -> dict[str, str]:
        if setup.file not in self.exact:
            self.exact[setup.file] = exactly(setup.file, feeds)
        exact = self.exact[setup.file]
        native = self._agreements(runner.outputs())
        found = {kind.column: _cell(kind, value) for kind, value in native.items()}
        if exact is None or setup.provider != CPU:
            return found
        return found | {
            kind.exact: _cell(kind, value) for kind, value in self._agreements(exact).items()
        }

    def _agreements(self, outputs: Sequence[np.ndarray]) -> dict[Kind, float]:
        return agreements(self.kinds, self.reference, outputs, self.mask)


def _cell(kind: Kind, value: float) -> str:
    return NOTHING if math.isnan(value) else kind.cell.format(value)


def _graph(file: Path) -> onnx.GraphProto:
    return onnx.load(file, load_external_data=False).graph


def exactly(file: Path, feeds: Feeds) -> list[np.ndarray] | None:
    """The outputs of a quantized file in exact arithmetic. None for another file, and for what
    cannot be written out or takes too long.
    """
    if file.stat().st_size > LARGEST_BYTES or not is_quantized(
        onnx.load(file, load_external_data=False)
    ):
        return None
    try:
        return quantized.evaluate(onnx.load(file), [feeds])[0]
    except Exception:  # Refused, TooExpensive, and ONNX Runtime's, which have no common type: the native session still is measured  # noqa: BLE001
        return None


def is_quantized(model: onnx.ModelProto) -> bool:
    """Does a session run integer products for it? Sessions fuse QuantizeLinear into products."""
    return quantized_operators.concerns(model) or any(
        node.op_type == "QuantizeLinear" for node in graphs.nodes(model)
    )


def warnings(results: Measurements) -> list[str]:
    """What the user has to know before believing the table."""
    found = [
        line for variant in results.variants for line in _warnings(variant.name, variant.notes)
    ]
    return found + [
        f"{doubt} Close what else is running, or ask for more --rounds." for doubt in results.doubts
    ]


def _warnings(name: str, notes: dict[str, str]) -> list[str]:
    return [
        warning for kind in KINDS if kind.column in notes for warning in _of_kind(kind, name, notes)
    ]


def _of_kind(kind: Kind, name: str, notes: dict[str, str]) -> list[str]:
    if notes[kind.column] == NOTHING:
        return [
            f"{name} was not compared: on these inputs the {kind.name} of the reference are all zero or all the "
            "same, and nothing else could agree better. Give it real inputs with --feeds, or a trained model."
        ]
    native = float(notes[kind.column])
    # A quantized file is its own reference, so in exact arithmetic it agrees without limit.
    cell = notes.get(kind.exact, NOTHING)
    exact = native if cell == NOTHING else min(float(cell), kind.own)
    said = kind.said.format(native)
    found = []
    if native == -math.inf:
        found.append(
            f"{name} computes something else: an output is not finite, has another shape, or should be all zeros."
        )
    elif native < kind.least:
        found.append(
            f"{name} computes something else: {said}, and {kind.name} need {kind.cell.format(kind.least)}. Its time says nothing."
            + (OTHER_KINDS if kind is NUMBERS else "")
        )
    if exact > native + kind.lost:
        found.append(
            f"{name} loses by this processor's kernels: {said}, and {kind.said.format(exact)} in exact arithmetic. {_advice()}"
        )
    return found


def _advice() -> str:
    if not saturates():
        return (
            "Its sums of 8-bit products do not saturate; look for a kernel that rounds otherwise."
        )
    ways = (
        "Quantize with reduce_range=True (--precision int8-static-reduced), or try --session "
        "session.x64quantprecision=1, which needs a zero point of its own for each weight."
    )
    return f"It adds products of 8 bits in 16 bits, and those sums saturate. {ways}"
