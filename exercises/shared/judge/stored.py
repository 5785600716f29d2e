"""The quantized layers of a QDQ model, as they are stored: codes, scale and zero point of each
weight, and of its bias.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import onnx_ir as ir

from formatlab import graphs, loading
from formatlab_exercises.shared.judge import twins
from formatlab_exercises.shared.judge.links import constant, written_by

# 255 times this fits into 16 bits, to both sides.
MOST = 128


@dataclass(frozen=True)
class Weight:
    """The weight of one layer as it is stored: codes with a row for each output, scale and zero
    point, input's scale, bias.
    """

    operator: str
    axis: int
    codes: np.ndarray
    scale: np.ndarray
    zero: np.ndarray
    x_scale: np.ndarray | None
    bias: tuple[np.ndarray, np.ndarray] | None

    @property
    def saturates(self) -> bool:
        """Whether two codes of an output, each times 255, can leave 16 bits. Other types than int8
        are widened first.
        """
        if self.codes.dtype != np.int8 or self.codes.shape[1] < 2:
            return False
        ordered = np.sort(self.codes.astype(int), axis=1)
        return bool(
            (ordered[:, -2:].sum(axis=1) > MOST).any() or (ordered[:, :2].sum(axis=1) < -MOST).any()
        )

    def same(self, other: Weight) -> bool:
        """Whether the codes, scales and zero points of weight and bias are those of the other."""
        pairs = [(self.codes, other.codes), (self.scale, other.scale), (self.zero, other.zero)]
        if (self.bias is None) != (other.bias is None):
            return False
        pairs += zip(self.bias or (), other.bias or (), strict=True)
        return all(a.dtype == b.dtype and np.array_equal(a, b) for a, b in pairs)


# Several rungs look at each of the models of an exercise.
@lru_cache(maxsize=64)
def weights(data: bytes) -> dict[str, Weight]:
    """The layers of a QDQ model with weights stored in 8 bits and inputs that come out of codes, by
    the names of their outputs.
    """
    nodes = (
        node
        for node in ir.from_proto(loading.parse(data)).graph
        if node.op_type in ("Conv", "Gemm", "MatMul") and graphs.domain(node.domain) == ""
    )
    found = {node.outputs[0].name or "": _weight(node) for node in nodes}
    return {name: weight for name, weight in found.items() if weight is not None}


def _weight(node: ir.Node) -> Weight | None:
    parts, x = _parts(node.inputs[1]), _parts(node.inputs[0], stored=False)
    axis = twins.channel_axis(ir.to_proto(node))
    if (
        parts is None
        or x is None
        or parts[0].ndim <= axis
        or parts[0].dtype not in (np.int8, np.uint8)
    ):
        return None
    codes, scale, zero = parts
    if scale.size not in (1, codes.shape[axis]) or zero.size != scale.size or not codes.size:
        return None
    bias = _parts(node.inputs[2]) if len(node.inputs) > 2 else None
    rows = np.moveaxis(codes, axis, 0).reshape(codes.shape[axis], -1)
    return Weight(
        node.op_type,
        axis,
        rows,
        scale.ravel(),
        zero.ravel(),
        x[1],
        bias and (bias[0], bias[1].ravel()),
    )


def _parts(
    value: ir.Value | None, stored: bool = True
) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """Codes, scale and zero point of what a DequantizeLinear writes; codes are empty unless they
    are `stored`.
    """
    node = written_by(value, "DequantizeLinear")
    if node is None:
        return None
    tensors = [constant(one) for one in node.inputs]
    if tensors[1] is None or (stored and tensors[0] is None):
        return None
    codes = np.zeros(0, np.uint8) if tensors[0] is None else tensors[0].numpy()
    scale = tensors[1].numpy()
    zero = (
        tensors[2].numpy()
        if len(tensors) > 2 and tensors[2] is not None
        else np.zeros_like(scale, codes.dtype)
    )
    return codes, scale, zero
