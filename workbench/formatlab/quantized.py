"""Run a quantized model so that every processor gets the same numbers, with and without
instructions for INT8.

Native INT8 kernels differ: a processor without VNNI may add pairs of products in 16 bits that
saturate. So none of them runs here. Between QuantizeLinear and DequantizeLinear the graph is float,
and ORT_DISABLE_ALL runs it as it is written. Operators that compute with integers are written out
in float operators whose sums are exact (`quantized_operators`). What remains is the rounding of
float32 sums, a last bit that moves a value over a step of its quantization now and then.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import onnx_ir as ir
from onnx import ModelProto
from onnx_ir.passes.common import InlinePass

from formatlab import halves, numerics, quantized_operators
from formatlab.numerics import Feeds, Outputs
from formatlab.quantized_operators import Refused
from formatlab.sqnr import sqnr

__all__ = ["Refused", "evaluate", "exact", "runnable", "sqnr"]
# A model of this size or more is written out each time: to keep pretrained ones would take
# gigabytes.
LARGE = 1 << 22


def evaluate(model: bytes | ModelProto, feeds: Iterable[Feeds]) -> list[Outputs]:
    """The outputs for each of the feeds, in the order of the graph's outputs. What is float16 is
    computed in float16 (`halves`).

    Raises Refused for a quantized operator that cannot be written out, numerics.TooExpensive, and
    what ONNX Runtime raises.
    """
    data = model if isinstance(model, bytes) else model.SerializeToString()
    return [outputs for [outputs] in numerics.run(runnable(data), feeds, "ORT_DISABLE_ALL")]


def runnable(data: bytes) -> bytes:
    """The model that `evaluate` runs in place of this one. Raises Refused."""
    return (_runnable_once if len(data) < LARGE else _runnable)(data)


def _runnable(data: bytes) -> bytes:
    return halves.kept(exact(ModelProto.FromString(data))).SerializeToString()


_runnable_once = lru_cache(maxsize=32)(_runnable)


def exact(model: ModelProto, *, in_pairs: bool = False) -> ModelProto:
    """The model with every operator that a native INT8 kernel would run written out. `model` is not
    changed. Raises Refused.

    With `in_pairs` sums are not exact: products of uint8 by int8 lose what they lose on an x86
    processor without VNNI (`quantized_operators.pairs`).
    """
    if not quantized_operators.concerns(model):
        return model
    copy = ir.from_proto(model)
    InlinePass()(copy)
    for node in list(ir.traversal.RecursiveGraphIterator(copy.graph)):
        quantized_operators.write_out(node, in_pairs=in_pairs)
    return ir.to_proto(copy)
