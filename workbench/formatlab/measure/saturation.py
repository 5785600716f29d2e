"""Does this processor add products of 8 bits in 16 bits that saturate? Its native INT8 kernels then
compute something else.

An x86 processor without VNNI multiplies uint8 by int8 with VPMADDUBSW, which adds every two
neighbouring products in 16 bits, and what does not fit becomes the largest or smallest number that
does. ONNX Runtime's kernels for that pair of types use it; other pairs of types are widened to 16
bits first, and their sums are exact. Two ways out: weights of 7 bits (`reduce_range` when
quantizing), whose sums of two products fit, or the session entry `PRECISELY`, which makes the
weights uint8 on such a processor when the session is made.

A processor that adds in 32 bits cannot show the loss, so `on_avx2` computes it on every processor:
the outputs that a session would have on AVX2.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from functools import cache

import numpy as np
import onnx
import onnxruntime as ort
from onnx import ModelProto, numpy_helper, parser

from formatlab import halves, numerics, quantized
from formatlab.models import make_model
from formatlab.numerics import Feeds, Outputs
from formatlab.quantized_operators import pairs

# For SessionOptions.add_session_config_entry. It needs optimization level EXTENDED at least, and
# changes nothing where nothing saturates. Where something does, ONNX Runtime 1.31 cannot load a
# QGemm of int8 by int8 with it: that product never saturates and needs it not. On any processor it
# cannot load a file in which two int8 weights share the tensor of their zero point.
PRECISELY = ("session.x64quantprecision", "1")
# ARM's sessions keep products of int8 by int8, x86's make the first factor uint8.
LIKE_X86 = ("session.qdqisint8allowed", "0")
# What the level ENABLE_ALL adds moves numbers in memory, for one processor, and multiplies no
# others.
BEFORE_LAYOUT = "ENABLE_EXTENDED"


@cache
def saturates() -> bool:
    """Whether ONNX Runtime's product of uint8 and int8 saturates on this processor: seen on one,
    and not read from flags.

    Raises RuntimeError where it is neither what 16 bits make of it nor exact.
    """
    a = np.full((2, 4), 255, np.uint8)
    b = np.full((4, 1), 127, np.int8)
    native = native_product(a, b)
    exact = a.astype(np.int64) @ b
    if np.array_equal(native, exact):
        return False
    if np.array_equal(native, saturated_product(a, b)):
        return True
    raise RuntimeError(
        f"4 times 255 * 127 is {exact[0, 0]}, {saturated_product(a, b)[0, 0]} if pairs saturate, and here {native[0, 0]}"
    )


def native_product(a: np.ndarray, b: np.ndarray, a_zero: int = 0, b_zero: int = 0) -> np.ndarray:
    """(a - a_zero) @ (b - b_zero) by MatMulInteger of ONNX Runtime; matrices of 8-bit integers."""
    text = f"g ({a.dtype}[{a.shape[0]}, {a.shape[1]}] a) => (int32[{a.shape[0]}, {b.shape[1]}] y) {{ y = MatMulInteger(a, b, a0, b0) }}"
    graph = parser.parse_graph(text)
    constants = {"b": b, "a0": np.array(a_zero, a.dtype), "b0": np.array(b_zero, b.dtype)}
    for name, value in constants.items():
        graph.initializer.append(numpy_helper.from_array(value, name))
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    model = make_model(graph).SerializeToString()
    session = ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return session.run(None, {"a": a})[0]


def saturated_product(a: np.ndarray, b: np.ndarray, a_zero: int = 0, b_zero: int = 0) -> np.ndarray:
    """The same as VPMADDUBSW makes it, of unsigned a (rows, k) and signed b (k, columns): pairs of
    products in 16 bits, then on in 32.

    The zero points are corrected for afterwards, in 32 bits.
    """
    a, b = a.astype(np.int64), b.astype(np.int64)
    added = (a[:, k : k + 2] @ b[k : k + 2] for k in range(0, a.shape[1], 2))
    start = np.zeros((len(a), b.shape[1]), np.int64)
    sums = sum((np.clip(pair, pairs.LOWEST, pairs.HIGHEST) for pair in added), start)
    of_a = a_zero * b.sum(axis=0) - a.shape[1] * a_zero * b_zero
    return (sums - of_a - b_zero * a.sum(axis=1, keepdims=True)).astype(np.int32)


def on_avx2(
    model: bytes | ModelProto,
    feeds: Iterable[Feeds],
    level: str = "ENABLE_ALL",
    *,
    precisely: bool = False,
) -> list[Outputs]:
    """The outputs for each of the feeds that a session has on an x86 processor with AVX2 and without
    VNNI, computed on whatever processor this is.

    The session's optimizer decides which products multiply integers, and of which types, so the
    graph that it makes at that level is the one whose products of uint8 by int8 are added in pairs
    (`quantized_operators.pairs` says which terms are a pair). `level` is the name of a
    GraphOptimizationLevel without `ORT_`. `precisely`: the session is given the entry `PRECISELY`,
    so that no such product is left. What is float is computed by this processor's own kernels.

    Raises quantized.Refused for a quantized operator that cannot be written out, and for a product
    of uint8 by an int8 factor that is no constant; numerics.TooExpensive; and what ONNX Runtime
    raises.
    """
    data = model if isinstance(model, bytes) else model.SerializeToString()
    fused = level in (BEFORE_LAYOUT, "ENABLE_ALL")
    optimized = _optimized(data, BEFORE_LAYOUT if fused else level)
    written = quantized.exact(optimized, in_pairs=not (precisely and fused))
    run = halves.kept(written).SerializeToString()
    return [outputs for [outputs] in numerics.run(run, feeds, "ORT_DISABLE_ALL")]


def _optimized(data: bytes, level: str) -> ModelProto:
    """The graph that a session on x86 makes of the model, with the types of its values."""
    options = ort.SessionOptions()
    options.graph_optimization_level = getattr(ort.GraphOptimizationLevel, f"ORT_{level}")
    options.log_severity_level = 4
    options.add_session_config_entry(*LIKE_X86)
    with tempfile.TemporaryDirectory() as folder:
        options.optimized_model_filepath = f"{folder}/optimized.onnx"
        ort.InferenceSession(data, options, providers=["CPUExecutionProvider"])
        return onnx.shape_inference.infer_shapes(onnx.load(options.optimized_model_filepath))
