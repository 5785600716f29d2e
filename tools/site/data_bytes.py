"""The files that the page on bytes takes apart: the small SafeTensors and the small ONNX file of
the notebooks, and ONNX's schema.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from onnx import TensorProto, helper, numpy_helper, parser

from formatlab.models import make_model, to_bytes

KINDS = {
    value: name.removeprefix("TYPE_").lower()
    for name, value in vars(FieldDescriptor).items()
    if name.startswith("TYPE_")
}


def write(folder: Path) -> None:
    """Write `small.safetensors`, `small.onnx`, `levels.onnx` and `onnx-schema.json` into `folder`."""
    folder = Path(folder)
    (folder / "small.safetensors").write_bytes(small_safetensors())
    (folder / "small.onnx").write_bytes(to_bytes(small_onnx()))
    (folder / "levels.onnx").write_bytes(to_bytes(levels()))
    (folder / "onnx-schema.json").write_text(
        json.dumps(schema(), separators=(",", ":")), encoding="utf-8"
    )


def small_safetensors() -> bytes:
    """The three tensors and one text of the notebook on SafeTensors."""
    import torch
    from safetensors.torch import save

    tensors = {
        "w": torch.tensor([[0.5, -1, 2], [3, 0, -0.25]]),
        "n": torch.tensor(7),
        "h": torch.tensor([1.5, -2], dtype=torch.bfloat16),
    }
    return save(tensors, {"made": "here"})


def small_onnx() -> onnx.ModelProto:
    """y = x + b, as the notebook on ONNX files builds it."""
    b = np.array([1, -2, 0.5], np.float32)
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", b.size])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["N", b.size])
    add = helper.make_node("Add", ["x", "b"], ["y"])
    return make_model(helper.make_graph([add], "tiny", [x], [y], [numpy_helper.from_array(b, "b")]))


def levels() -> onnx.ModelProto:
    """y = Relu(x · W + b), the model that is followed from its formula to the bits of one number."""
    graph = parser.parse_graph(
        "layer (float[N, 2] x) => (float[N, 3] y) { p = MatMul(x, W) s = Add(p, b) y = Relu(s) }"
    )
    weight, bias = np.float32([[0.5, -1, 2], [3, 0.1, -0.25]]), np.float32([0.25, 0, -1])
    graph.initializer.extend(
        [numpy_helper.from_array(weight, "W"), numpy_helper.from_array(bias, "b")]
    )
    return make_model(graph)


def schema() -> dict[str, dict[str, dict]]:
    """{message: {field number: name, kind, message, repeated}} of ModelProto and every message in
    it.
    """
    found: dict[str, dict[str, dict]] = {}
    waiting = [onnx.ModelProto.DESCRIPTOR]
    while waiting:
        message = waiting.pop()
        if message.name not in found:
            found[message.name] = {str(field.number): _field(field) for field in message.fields}
            waiting.extend(field.message_type for field in message.fields if field.message_type)
    return dict(sorted(found.items()))


def _field(field: FieldDescriptor) -> dict:
    message: Descriptor | None = field.message_type
    entry = {"name": field.name, "kind": KINDS[field.type]}
    return (
        entry
        | ({"message": message.name} if message else {})
        | ({"repeated": True} if field.is_repeated else {})
    )
