"""What a float16 model computes in float16, beside what ONNX Runtime's CPU provider makes of it.

The provider computes most float16 nodes in float32 (`halves`), so neither an overflow nor a rounding
inside the graph shows: a file may have an SQNR of 70 dB on a CPU and give NaN on a GPU. Here every
value is a float16, and the same model in float32 says how large its numbers are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from onnx import ModelProto, ValueInfoProto

from formatlab import halves, numerics
from formatlab.numerics import Feeds, Outputs

MAX = float(np.finfo(np.float16).max)
# Behind the number of a value that is lost.
LOST = ", infinite or NaN in float16"
# Inner values that are looked at in one session: all of a large model would fill the memory.
AT_ONCE = 64


@dataclass(frozen=True, kw_only=True)
class Largest:
    """The first value, in the order of the nodes, that is infinite or NaN in float16 alone; where
    there is none, the value with the largest number. `largest` is its largest number in float32.
    """

    operator: str
    value: str
    largest: float
    is_lost: bool

    def __str__(self) -> str:
        return f"{self.largest:.3g} in {self.value} ({self.operator}){LOST if self.is_lost else ''}"


def outputs(model: ModelProto, feeds: Sequence[Feeds]) -> list[Outputs]:
    """Return the outputs for each of the feeds, each node's result rounded to its own type.

    Raises numerics.TooExpensive, and what ONNX Runtime raises.
    """
    data = halves.kept(model).SerializeToString()
    return [run for [run] in numerics.run(data, feeds)]


def largest(model: ModelProto, feeds: Sequence[Feeds]) -> Largest | None:
    """Return the first value of the main graph that float16 cannot hold, or else the largest one;
    None where no node gives a float.

    Raises numerics.TooExpensive, and what ONNX Runtime raises.
    """
    wide = halves.in_float32(model)
    widened = [{name: _as_float32(value) for name, value in each.items()} for each in feeds]
    written = [(node.op_type, name) for node in model.graph.node for name in node.output if name]
    found = None
    for part in _parts(written):
        names = [name for _, name in part]
        narrow = outputs(_with_outputs(model, names), feeds)
        data = _with_outputs(wide, names).SerializeToString()
        sizes = [run for [run] in numerics.run(data, widened)]
        for place, (operator, name) in enumerate(part):
            runs = [(run[place], size[place]) for run, size in zip(narrow, sizes, strict=True)]
            if not all(_are_floats(run, size) for run, size in runs):
                continue
            size = max(float(np.abs(value).max(initial=0)) for _, value in runs)
            is_lost = any(_is_lost(run, value) for run, value in runs)
            if is_lost or found is None or size > found.largest:
                found = Largest(operator=operator, value=name, largest=size, is_lost=is_lost)
            if is_lost:
                return found
    return found


def _parts(written: Sequence[tuple[str, str]]) -> Iterator[Sequence[tuple[str, str]]]:
    for start in range(0, len(written), AT_ONCE):
        yield written[start : start + AT_ONCE]


def _as_float32(value: np.ndarray) -> np.ndarray:
    return value.astype(np.float32) if value.dtype == np.float16 else value


def _are_floats(*values: object) -> bool:
    return all(isinstance(each, np.ndarray) and each.dtype.kind == "f" for each in values)


def _is_lost(narrow: np.ndarray, wide: np.ndarray) -> bool:
    return bool(np.isfinite(wide).all() and not np.isfinite(narrow).all())


def _with_outputs(model: ModelProto, names: Sequence[str]) -> ModelProto:
    new = ModelProto()
    new.CopyFrom(model)
    stated = {value.name: value for value in model.graph.output}
    del new.graph.output[:]
    new.graph.output.extend(stated.get(name) or ValueInfoProto(name=name) for name in names)
    return new
