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

from formatlab import graphs, halves, quantized, quantized_operators
from formatlab.measure import float16
from formatlab.measure.alone import batched_inputs, rows_alone
from formatlab.measure.errors import CannotBench
from formatlab.measure.feeds import make_feeds
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
# The columns of a float16 file as it says it, and the value that overflows, or its largest one.
FLOAT16 = "float16"
LARGEST = "largest number"
# The column that says whether a row depends on its neighbours, on a batch of so many rows, of which
# so many are compared: each costs a run of the whole batch.
ALONE = "alone"
BATCH = 4
COMPARED = 2
INDEPENDENT = "same"
# In place of a perfect agreement of outputs that hold nothing.
NOTHING = "nothing"
OTHER_KINDS = " If they are vectors that are compared, or scores of classes, say so: --outputs vectors, --outputs classes."


@dataclass(kw_only=True)
class Quality:
    """`reference`: the outputs that the others are held against. `kinds`: what they are. `mask`:
    where they count.

    `exact`: outputs in exact arithmetic by file, None where there are none. `rows`: a small batch on
    which a row is compared with itself alone, None where the model has no open batch axis or where
    one row was given.
    """

    reference: list[np.ndarray]
    kinds: list[Kind | None]
    mask: np.ndarray | None
    exact: dict[Path, list[np.ndarray] | None] = field(default_factory=dict)
    rows: Feeds | None = None
    batched: list[str] = field(default_factory=list)
    mask_name: str = MASK

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
        model = onnx.load(request.model, load_external_data=False)
        batched = batched_inputs(model)
        return cls(
            reference=reference,
            kinds=kinds,
            mask=feeds.get(mask),
            exact={request.model: exact},
            rows=_rows(request, model, feeds, batched),
            batched=batched,
            mask_name=mask,
        )

    def notes(self, setup: Setup, runner: Runner, feeds: Feeds) -> dict[str, str]:
        if setup.file not in self.exact:
            self.exact[setup.file] = exactly(setup.file, feeds)
        exact = self.exact[setup.file]
        native = self._agreements(runner.outputs())
        found = {kind.column: _cell(kind, value) for kind, value in native.items()}
        if exact is not None and setup.provider == CPU:
            found |= {
                kind.exact: _cell(kind, value) for kind, value in self._agreements(exact).items()
            }
        elif setup.provider == CPU:
            found |= self._in_float16(setup.file, feeds, native)
        return found | self._alone(setup, runner)

    def _in_float16(self, file: Path, feeds: Feeds, native: dict[Kind, float]) -> dict[str, str]:
        """The agreement of a float16 file whose values are float16, which this processor's are not.
        Where it is worse, the first value that float16 cannot hold, or the largest one.
        """
        try:
            if not halves.concerns(onnx.load(file, load_external_data=False)):
                return {}
            model = onnx.load(file)
            true = self._agreements(float16.outputs(model, [feeds])[0])
            found = {f"{kind.column} {FLOAT16}": _cell(kind, value) for kind, value in true.items()}
            if any(native[kind] > true[kind] + kind.lost for kind in true):
                largest = float16.largest(model, [feeds])
                found |= {LARGEST: str(largest)} if largest else {}
        except Exception:  # TooExpensive, and ONNX Runtime's, which have no common type: the native session still is measured  # noqa: BLE001
            return {}
        return found

    def _alone(self, setup: Setup, runner: Runner) -> dict[str, str]:
        """Whether a row's outputs depend on the rows beside it, as the table says it."""
        if self.rows is None or setup.cuda_graph:
            return {}
        try:
            found = rows_alone(
                lambda feeds: runner.session.run(None, feeds), self.rows, self.batched, COMPARED
            )
        except Exception:  # a file whose sizes hang together runs on the given ones alone  # noqa: BLE001
            return {}
        if found is None:
            return {}
        mask = self.rows.get(self.mask_name)
        agreed = agreements(
            [self.kinds[place] for place in found.places],
            found.together,
            found.alone,
            None if mask is None else mask[: found.rows],
        )
        known = {kind: value for kind, value in agreed.items() if not math.isnan(value)}
        if not known:
            return {}
        # Whose rows stay as they are by the values beside them may still compute each size in
        # another way; what is lost so has to be large.
        worst = min(known, key=lambda kind: known[kind] - kind.least)
        moved = found.is_moved or known[worst] < worst.least
        return {ALONE: worst.said.format(known[worst]) if moved else INDEPENDENT}

    def _agreements(self, outputs: Sequence[np.ndarray]) -> dict[Kind, float]:
        return agreements(self.kinds, self.reference, outputs, self.mask)


def _rows(
    request: BenchRequest, model: onnx.ModelProto, feeds: Feeds, batched: Sequence[str]
) -> Feeds | None:
    """The first rows of the inputs; where there is one, rows that are drawn as it was."""
    if not batched:
        return None
    if min(len(feeds[name]) for name in batched) < 2:
        if request.feeds is not None:
            return None
        feeds = make_feeds(model, BATCH, request.sizes, request.ranges, request.seed or 0)
    given = {name: value[:BATCH] if name in batched else value for name, value in feeds.items()}
    sizes = {len(given[name]) for name in batched}
    differ = any((given[name] != given[name][:1]).any() for name in batched)
    return given if len(sizes) == 1 and min(sizes) > 1 and differ else None


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
    found = [
        warning for kind in KINDS if kind.column in notes for warning in _of_kind(kind, name, notes)
    ]
    if notes.get(ALONE, INDEPENDENT) != INDEPENDENT:
        found.append(
            f"{name}: a row's outputs depend on the rows beside it. Alone it is at {notes[ALONE]} to the same row in a batch. "
            "DynamicQuantizeLinear, for one, takes its scale from the whole batch: do not compare what was computed in batches "
            "with what is computed alone, or quantize with fixed scales (--precision int8-static)."
        )
    return found


def _of_kind(kind: Kind, name: str, notes: dict[str, str]) -> list[str]:
    if notes[kind.column] == NOTHING:
        return [
            f"{name} was not compared: on these inputs the {kind.name} of the reference are all zero or all the "
            "same, and nothing else could agree better. Give it real inputs with --feeds, or a trained model."
        ]
    native = float(notes[kind.column])
    true = notes.get(f"{kind.column} {FLOAT16}", NOTHING)
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
    if true != NOTHING and native > float(true) + kind.lost:
        lower = "NaN or infinity" if true == "-inf" else kind.said.format(float(true))
        found.append(
            f"{name}: {said} here, because this CPU computes most float16 nodes in float32, and {lower} in float16 arithmetic, "
            f"as the file says and other hardware computes. {_held(notes)}"
        )
    if exact > native + kind.lost:
        found.append(
            f"{name} loses by this processor's kernels: {said}, and {kind.said.format(exact)} in exact arithmetic. {_advice()}"
        )
    return found


def _held(notes: dict[str, str]) -> str:
    """What float16 does to the largest number of a file."""
    if LARGEST not in notes:
        return ""
    if notes[LARGEST].endswith(float16.LOST):
        return f"The first value that it cannot hold: {notes[LARGEST]}, which ends at {float16.MAX:.0f}."
    return f"Nothing overflows: the largest number is {notes[LARGEST]}, and float16 ends at {float16.MAX:.0f}."


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
