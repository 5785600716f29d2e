"""Small CNNs twice: in float32, and as the QDQ model that a quantizer makes of it, with the same
layers under the same names.

No quantizer runs, so that a case costs milliseconds and every step of a weight can be chosen: a
layer whose codes go to 127 is exact to half a step in 127, one whose codes go to 9 is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import onnxruntime as ort
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

from workbench import quantized
from workbench.models import make_model, to_bytes
from workbench.numerics import Feeds

IMAGE = (3, 8, 6)
SEEN = 96
CHANNEL_AXES = {"Conv": 0, "MatMul": 1}


@dataclass(frozen=True)
class Layer:
    """One layer: its operator (GemmT stores its weight transposed), its width, and how its weight
    is quantized.

    `limit` is the largest code, `size` a factor on all weights. With `spread` each channel but one
    number of it is so many times smaller.
    """

    operator: str
    width: int
    limit: int = 127
    per_channel: bool = True
    weights: type = np.int8
    activations: type = np.uint8
    size: float = 1.0
    spread: float = 1.0


Plan = Sequence[tuple[Layer, ...]]


def images(rng: np.random.Generator, count: int) -> np.ndarray:
    """Bright and dark ones, around no particular middle."""
    pixels = rng.beta(1.2, 2, (count, *IMAGE)) * rng.uniform(0.3, 1, (count, 1, 1, 1))
    return (3 * pixels - 0.7).astype(np.float32)


def evaluated(model: bytes, feeds: Feeds) -> np.ndarray | None:
    """What a model of one output gives, in exact arithmetic; None where it does not run on the feeds,
    or has other outputs.
    """
    try:
        [[found]] = quantized.evaluate(model, [feeds])
    except Exception:  # whatever a runtime says of a file that a student's code wrote
        return None
    return found if isinstance(found, np.ndarray) else None


def twins(rng: np.random.Generator, plan: Plan) -> tuple[bytes, bytes]:
    """The float model and the QDQ model of a plan: a chain of layers, where two that stand together
    are added up.
    """
    opset = int(rng.integers(13, 21))
    model, layers = _in_floats(rng, plan, opset)
    return to_bytes(model), to_bytes(_in_codes(model, layers, images(rng, SEEN), opset))


def _in_floats(
    rng: np.random.Generator, plan: Plan, opset: int
) -> tuple[ModelProto, dict[str, Layer]]:
    nodes: list[NodeProto] = []
    weights: list[TensorProto] = []
    layers: dict[str, Layer] = {}
    x, shape = "image", IMAGE
    for number, step in enumerate(plan):
        if step[0].operator != "Conv" and len(shape) == 3:
            nodes += [
                helper.make_node("MaxPool", [x], ["small"], kernel_shape=[2, 2], strides=[2, 2])
            ]
            nodes += [helper.make_node("Flatten", ["small"], ["rows"], axis=1)]
            x, shape = "rows", (shape[0] * (shape[1] // 2) * (shape[2] // 2),)
        written = []
        for branch, layer in enumerate(step):
            name = f"layer_{number}{'ab'[branch] if len(step) > 1 else ''}"
            layers[name] = layer
            nodes.append(_node(name, layer, x))
            weights += _weights(rng, name, layer, shape[0])
            written.append(f"{name}_out")
        x = written[0]
        if len(written) > 1:
            nodes.append(helper.make_node("Add", written, [f"sum_{number}"], name=f"sum_{number}"))
            x = f"sum_{number}"
        shape = (step[0].width, *shape[1:])
        if number < len(plan) - 1:
            nodes.append(helper.make_node("Relu", [x], [f"relu_{number}"]))
            x = f"relu_{number}"
    nodes[-1].output[0] = "logits"
    fed = helper.make_tensor_value_info("image", TensorProto.FLOAT, ["batch", *IMAGE])
    given = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", *shape])
    return make_model(helper.make_graph(nodes, "twin", [fed], [given], weights), opset), layers


def _node(name: str, layer: Layer, x: str) -> NodeProto:
    inputs = [x, f"{name}.weight", *([f"{name}.bias"] if layer.operator != "MatMul" else [])]
    if layer.operator == "Conv":
        return helper.make_node(
            "Conv", inputs, [f"{name}_out"], name=name, kernel_shape=[3, 3], pads=[1, 1, 1, 1]
        )
    attributes = {"transB": 1} if layer.operator == "GemmT" else {}
    return helper.make_node(
        layer.operator.removesuffix("T"), inputs, [f"{name}_out"], name=name, **attributes
    )


def _weights(rng: np.random.Generator, name: str, layer: Layer, before: int) -> list[TensorProto]:
    shape = (layer.width, before, 3, 3) if layer.operator == "Conv" else (layer.width, before)
    weight = rng.normal(size=shape) * layer.size * np.sqrt(2 / np.prod(shape[1:]))
    if layer.spread > 1:
        rows = weight.reshape(layer.width, -1)
        largest = np.abs(rows).max(axis=1)
        rows /= layer.spread
        rows[np.arange(layer.width), rng.integers(rows.shape[1], size=layer.width)] = largest
    if layer.operator in ("Gemm", "MatMul"):
        weight = weight.T
    tensors = [numpy_helper.from_array(np.ascontiguousarray(weight, np.float32), f"{name}.weight")]
    if layer.operator != "MatMul":
        bias = rng.normal(size=layer.width) * 0.1 * layer.size
        tensors.append(numpy_helper.from_array(bias.astype(np.float32), f"{name}.bias"))
    return tensors


def channel_axis(node: NodeProto) -> int:
    """The axis of a layer's weight that runs over its outputs."""
    transposed = any(attribute.name == "transB" and attribute.i for attribute in node.attribute)
    return 0 if transposed else CHANNEL_AXES.get(node.op_type, 1)


def _in_codes(
    model: ModelProto, layers: dict[str, Layer], seen: np.ndarray, opset: int
) -> ModelProto:
    stored = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    ranges = _ranges(
        model, [node.input[0] for node in model.graph.node if node.name in layers], seen
    )
    nodes: list[NodeProto] = []
    tensors: dict[str, np.ndarray] = {}
    scales: dict[str, np.float32] = {}
    for node in model.graph.node:
        if node.name in layers:
            x, layer = node.input[0], layers[node.name]
            if x not in scales:
                scales[x], zero = _affine(*ranges[x], layer.activations)
                tensors |= {f"{x}_scale": scales[x], f"{x}_zero_point": zero}
                pair = [f"{x}_scale", f"{x}_zero_point"]
                nodes.append(helper.make_node("QuantizeLinear", [x, *pair], [f"{x}_quantized"]))
                nodes.append(
                    helper.make_node(
                        "DequantizeLinear", [f"{x}_quantized", *pair], [f"{x}_dequantized"]
                    )
                )
            nodes += _weight_in_codes(node, layer, scales[x], stored, tensors)
            node = helper.make_node(node.op_type, [], node.output, node.name)
            node.attribute.extend(
                next(other for other in model.graph.node if other.name == node.name).attribute
            )
            node.input.extend(
                [
                    f"{x}_dequantized",
                    *(f"{name}_dequantized" for name in _constants(model, node.name)),
                ]
            )
        nodes.append(node)
    values = [numpy_helper.from_array(np.asarray(value), name) for name, value in tensors.items()]
    return make_model(
        helper.make_graph(nodes, "twin", model.graph.input, model.graph.output, values), opset
    )


def _constants(model: ModelProto, name: str) -> list[str]:
    return list(next(node for node in model.graph.node if node.name == name).input[1:])


def _weight_in_codes(
    node: NodeProto, layer: Layer, x_scale: np.float32, stored: dict, tensors: dict
) -> list[NodeProto]:
    """The DequantizeLinear of a layer's weight, and that of its bias, whose scale is that of its
    input times that of its weight.
    """
    name, axis = node.input[1], channel_axis(node)
    weight = stored[name]
    others = tuple(i for i in range(weight.ndim) if i != axis)
    largest = np.abs(weight).max(axis=others) if layer.per_channel else np.abs(weight).max()
    scale = (largest / layer.limit).astype(np.float32)
    spread = (
        scale.reshape([-1 if i == axis else 1 for i in range(weight.ndim)])
        if layer.per_channel
        else scale
    )
    middle = 128 if layer.weights is np.uint8 else 0
    codes = (np.rint(weight / spread) + middle).astype(layer.weights)
    tensors |= {
        f"{name}_quantized": codes,
        f"{name}_scale": scale,
        f"{name}_zero_point": np.full_like(scale, middle, layer.weights),
    }
    made = [_dequantize(name, axis if layer.per_channel else None)]
    if len(node.input) > 2:
        step = (scale * x_scale).astype(np.float32)
        tensors |= {
            f"{node.input[2]}_quantized": np.rint(stored[node.input[2]] / step).astype(np.int32),
            f"{node.input[2]}_scale": step,
        }
        tensors[f"{node.input[2]}_zero_point"] = np.zeros_like(step, np.int32)
        made.append(_dequantize(node.input[2], 0 if layer.per_channel else None))
    return made


def _dequantize(name: str, axis: int | None) -> NodeProto:
    parts = [f"{name}_{part}" for part in ("quantized", "scale", "zero_point")]
    return helper.make_node(
        "DequantizeLinear",
        parts,
        [f"{name}_dequantized"],
        **({} if axis is None else {"axis": axis}),
    )


def _affine(low: float, high: float, kind: type) -> tuple[np.float32, np.ndarray]:
    """A scale of three digits, which every processor's last bits leave alone, and its zero point."""
    scale = np.float32(f"{(high - low) / 255:.3g}")
    limits = np.iinfo(kind)
    return scale, np.array(np.clip(round(limits.min - low / scale), limits.min, limits.max), kind)


def _ranges(
    model: ModelProto, names: list[str], seen: np.ndarray
) -> dict[str, tuple[float, float]]:
    probe = ModelProto.FromString(model.SerializeToString())
    inner = [name for name in dict.fromkeys(names) if name != "image"]
    probe.graph.output.extend(helper.make_empty_tensor_value_info(name) for name in inner)
    options = ort.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 4
    session = ort.InferenceSession(
        probe.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    values = {"image": seen, **dict(zip(inner, session.run(inner, {"image": seen}), strict=True))}
    return {
        name: (min(float(value.min()), 0.0), max(float(value.max()), 0.0))
        for name, value in values.items()
    }
