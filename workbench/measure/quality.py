"""How far each variant's outputs stand from the model as given, as this processor computes them and
as arithmetic has them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import onnx

from workbench import graphs, quantized, quantized_operators
from workbench.measure.errors import CannotBench
from workbench.measure.results import Results
from workbench.measure.saturation import saturates
from workbench.measure.sessions import CPU, Runner, agreement

if TYPE_CHECKING:
    from workbench.measure.bench import Feeds, Setup
    from workbench.measure.order import Order

# Noise with a tenth of the signal's power: whatever that variant computes, its speed is of no use.
USELESS_DB = 10.0
# The SQNR of the same file where no sum saturates: it is that of every processor whose kernels are
# exact.
NATIVE, EXACT = "SQNR dB", "SQNR dB exact"
# So much worse, and the kernels of this processor are to be named.
LOST_DB = 1.0
# What is written out in float takes memory; beyond this size it is left alone.
LARGEST_BYTES = 2**30
MASK = "attention_mask"


@dataclass
class Quality:
    """`reference`: the outputs that the others are held against. `mask`: where they count.

    `exact`: outputs in exact arithmetic by file, None where there are none.
    """

    reference: list[np.ndarray]
    mask: np.ndarray | None
    exact: dict[Path, list[np.ndarray] | None] = field(default_factory=dict)

    @classmethod
    def of(cls, order: Order, feeds: Feeds) -> Quality:
        """A quantized file is its own reference, computed exactly; any other as the CPU computes
        it. Raises CannotBench.
        """
        mask = order.mask or MASK
        if order.mask and order.mask not in feeds:
            raise CannotBench(
                f"there is no input {order.mask!r} for --mask; the inputs are {', '.join(feeds)}"
            )
        native = Runner(order.model, feeds, CPU).outputs()
        exact = exactly(order.model, feeds)
        return cls(native if exact is None else exact, feeds.get(mask), {order.model: exact})

    def notes(self, setup: Setup, runner: Runner, feeds: Feeds) -> dict[str, str]:
        if setup.file not in self.exact:
            self.exact[setup.file] = exactly(setup.file, feeds)
        exact = self.exact[setup.file]
        found = {NATIVE: self._agreement(runner.outputs())}
        return (
            found
            if exact is None or setup.provider != CPU
            else found | {EXACT: self._agreement(exact)}
        )

    def _agreement(self, outputs: Sequence[np.ndarray]) -> str:
        return f"{agreement(self.reference, outputs, self.mask):.1f}"


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
    except Exception:  # Refused, TooExpensive, and ONNX Runtime's, which have no common type: the native session still is measured
        return None


def is_quantized(model: onnx.ModelProto) -> bool:
    """Does a session run integer products for it? QuantizeLinear alone computes in float, and
    sessions fuse it into products.
    """
    return quantized_operators.concerns(model) or any(
        node.op_type == "QuantizeLinear" for node in graphs.nodes(model)
    )


def warnings(results: Results) -> list[str]:
    """What the user has to know before believing the table."""
    found = [
        line for variant in results.variants for line in _warnings(variant.name, variant.notes)
    ]
    return found + [
        f"{doubt} Close what else is running, or ask for more --rounds." for doubt in results.doubts
    ]


def _warnings(name: str, notes: dict[str, str]) -> list[str]:
    native = float(notes[NATIVE])
    exact = float(notes.get(EXACT, native))
    found = []
    if native == -math.inf:
        found.append(
            f"{name} computes something else: an output is not finite, has another shape, or should be all zeros."
        )
    elif native < USELESS_DB:
        found.append(
            f"{name} computes something else: SQNR {native:.1f} dB. Its time says nothing."
        )
    if exact > native + LOST_DB:
        found.append(
            f"{name} loses by this processor's kernels: SQNR {native:.1f} dB, and {exact:.1f} dB in exact arithmetic. {_advice()}"
        )
    return found


def _advice() -> str:
    if not saturates():
        return (
            "Its sums of 8-bit products do not saturate; look for a kernel that rounds otherwise."
        )
    ways = "Quantize with reduce_range=True (--precision int8-static-reduced), or try --session session.x64quantprecision=1."
    return f"It adds products of 8 bits in 16 bits, and those sums saturate. {ways}"
