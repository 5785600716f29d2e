"""Does this processor add products of 8 bits in 16 bits that saturate? Its native INT8 kernels then
compute something else.

An x86 processor without VNNI multiplies uint8 by int8 with VPMADDUBSW, which adds every two
neighbouring products in 16 bits, and what does not fit becomes the largest or smallest number that
does. ONNX Runtime's kernels for that pair of types use it; other pairs of types are widened to 16
bits first, and their sums are exact. Two ways out: weights of 7 bits (`reduce_range` when
quantizing), whose sums of two products fit, or the session entry `PRECISELY`, which makes the
weights uint8 on such a processor when the session is made.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import onnxruntime as ort
from onnx import numpy_helper, parser

from formatlab.models import make_model

# For SessionOptions.add_session_config_entry. It needs optimization level EXTENDED at least, and
# changes nothing where nothing saturates. Where something does, ONNX Runtime 1.31 cannot load a
# QGemm of int8 by int8 with it: that product never saturates and needs it not.
PRECISELY = ("session.x64quantprecision", "1")
LOWEST = np.iinfo(np.int16).min
HIGHEST = np.iinfo(np.int16).max


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
    pairs = (a[:, k : k + 2] @ b[k : k + 2] for k in range(0, a.shape[1], 2))
    start = np.zeros((len(a), b.shape[1]), np.int64)
    sums = sum((np.clip(pair, LOWEST, HIGHEST) for pair in pairs), start)
    of_a = a_zero * b.sum(axis=0) - a.shape[1] * a_zero * b_zero
    return (sums - of_a - b_zero * a.sum(axis=1, keepdims=True)).astype(np.int32)
