"""Small CNNs twice: in float32, and as the QDQ model that a quantizer makes of it, with the same
layers under the same names.

No quantizer runs, so that a case costs milliseconds and every step of a weight can be chosen: a
layer whose codes go to 127 is exact to half a step in 127, one whose codes go to 9 is not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import onnxruntime as ort
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

from formatlab import loading, quantized
from formatlab.models import make_model, to_bytes
from formatlab.models.builder import Builder, value
from formatlab.numerics import Feeds

IMAGE = (3, 8, 6)
INPUTS = ("image", "pixels", "x")
SEEN = 96
CHANNEL_AXES = {"Conv": 0, "MatMul": 1}
ATTRIBUTES: dict[str, dict[str, int | list[int]]] = {
    "Conv": {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]},
    "GemmT": {"transB": 1},
}


@dataclass(frozen=True)
class Layer:
    """One layer: its operator (GemmT stores its weight transposed), its width, and how its weight
    is quantized.

    `limit` is the largest code, `size` a factor on all weights. `codes` makes the codes of given
    rows, one for each output, where no normal weights shall be rounded to them. `weight_of` is the
    layer before it whose weight this layer reads as well; the two are quantized alike.
    """

    operator: str
    width: int
    limit: int = 127
    per_channel: bool = True
    weights: type = np.int8
    activations: type = np.uint8
    size: float = 1.0
    codes: Callable[[np.random.Generator, tuple[int, int]], np.ndarray] | None = None
    weight_of: str = ""


Plan = Sequence[tuple[Layer, ...]]


def images(rng: np.random.Generator, count: int) -> np.ndarray:
    """Bright and dark ones, around no particular middle."""
    pixels = rng.beta(1.2, 2, (count, *IMAGE)) * rng.uniform(0.3, 1, (count, 1, 1, 1))
    return (3 * pixels - 0.7).astype(np.float32)


def feeds(model: bytes, rng: np.random.Generator, count: int) -> dict[str, np.ndarray]:
    """So many images, under the name of the model's input."""
    [name] = [each.name for each in loading.parse(model).graph.input]
    return {name: images(rng, count)}


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
    floats = _Floats(rng, plan)
    model = make_model(floats.graph("twin"), opset)
    codes = _Codes(model, _ranges(model, floats.read, images(rng, SEEN)))
    for node in model.graph.node:
        codes.take(node, floats.layers.get(node.name))
    return to_bytes(model), to_bytes(make_model(codes.finished().graph("twin"), opset))


class _Floats(Builder):
    """The float model. `x` is the value that was written last, and `shape` its shape."""

    def __init__(self, rng: np.random.Generator, plan: Plan):
        super().__init__()
        self._rng = rng
        # Of a generator of its own: the weights do not depend on how the input is called.
        self.x = str(rng.spawn(1)[0].choice(INPUTS))
        self.shape: tuple[int, ...] = IMAGE
        self.inputs.append(value(self.x, "batch", *IMAGE))
        self.layers: dict[str, Layer] = {}
        for number, step in enumerate(plan):
            if step[0].operator != "Conv" and len(self.shape) == 3:
                self._flatten()
            self._add(number, step)
            if number < len(plan) - 1:
                self._write("Relu", [self.x], f"relu_{number}")
        self.nodes[-1].output[0] = "logits"
        self.outputs.append(value("logits", "batch", *self.shape))

    @property
    def read(self) -> list[str]:
        """What the layers read."""
        return [node.input[0] for node in self.nodes if node.name in self.layers]

    def _flatten(self) -> None:
        self._write("MaxPool", [self.x], "small", kernel_shape=[2, 2], strides=[2, 2])
        self._write("Flatten", [self.x], "rows", axis=1)
        channels, height, width = self.shape
        self.shape = (channels * (height // 2) * (width // 2),)

    def _add(self, number: int, step: tuple[Layer, ...]) -> None:
        """The layers of a step, and their sum where they are two."""
        names = [f"layer_{number}{'ab'[at] if len(step) > 1 else ''}" for at in range(len(step))]
        for name, layer in zip(names, step, strict=True):
            self.layers[name] = layer
            self._layer(name, layer)
            self.weights += _weights(self._rng, name, layer, self.shape[0])
        self.x, self.shape = f"{names[0]}_out", (step[0].width, *self.shape[1:])
        if len(names) > 1:
            total = f"sum_{number}"
            self._write("Add", [f"{name}_out" for name in names], total, name=total)

    def _write(self, operator: str, inputs: list[str], output: str, **more) -> None:
        self.x = self.append(operator, inputs, [output], **more)

    def _layer(self, name: str, layer: Layer) -> None:
        weight = f"{layer.weight_of or name}.weight"
        inputs = [self.x, weight, *[f"{name}.bias"] * (layer.operator != "MatMul")]
        attributes = ATTRIBUTES.get(layer.operator, {})
        operator = layer.operator.removesuffix("T")
        self.append(operator, inputs, [f"{name}_out"], name=name, **attributes)


def _weights(rng: np.random.Generator, name: str, layer: Layer, before: int) -> list[TensorProto]:
    shape = (layer.width, before, 3, 3) if layer.operator == "Conv" else (layer.width, before)
    tensors = [] if layer.weight_of else [_weight(rng, name, layer, shape)]
    if layer.operator != "MatMul":
        bias = rng.normal(size=layer.width) * 0.1 * layer.size
        tensors.append(numpy_helper.from_array(bias.astype(np.float32), f"{name}.bias"))
    return tensors


def _weight(
    rng: np.random.Generator, name: str, layer: Layer, shape: tuple[int, ...]
) -> TensorProto:
    weight = rng.normal(size=shape) * layer.size * np.sqrt(2 / np.prod(shape[1:]))
    if layer.codes is not None:
        rows = weight.reshape(layer.width, -1)
        rows[:] = layer.codes(rng, rows.shape) * rows.std() / layer.limit
    if layer.operator in ("Gemm", "MatMul"):
        weight = weight.T
    return numpy_helper.from_array(np.ascontiguousarray(weight, np.float32), f"{name}.weight")


def channel_axis(node: NodeProto) -> int:
    """The axis of a layer's weight that runs over its outputs."""
    transposed = any(attribute.name == "transB" and attribute.i for attribute in node.attribute)
    return 0 if transposed else CHANNEL_AXES.get(node.op_type, 1)


class _Codes(Builder):
    """The QDQ model of a float model; `ranges` are those of its values."""

    def __init__(self, model: ModelProto, ranges: Mapping[str, tuple[float, float]]):
        super().__init__()
        self.inputs, self.outputs = list(model.graph.input), list(model.graph.output)
        self._ranges = ranges
        self._stored = {each.name: numpy_helper.to_array(each) for each in model.graph.initializer}
        self._tensors: dict[str, np.ndarray] = {}

    def take(self, node: NodeProto, layer: Layer | None) -> None:
        """The next node of the float model, and the layer that it is, if it is one."""
        taken = NodeProto()
        taken.CopyFrom(node)
        if layer is not None:
            if f"{node.input[0]}_scale" not in self._tensors:
                self._input(node.input[0], layer)
            scale = self._weight(node, layer)
            if len(node.input) > 2:
                self._bias(node, layer, scale)
            taken.input[:] = [f"{name}_dequantized" for name in node.input]
        self.nodes.append(taken)

    def finished(self) -> _Codes:
        """The same, with what was stored."""
        for name, array in self._tensors.items():
            self.store(np.asarray(array), name)
        return self

    def _input(self, x: str, layer: Layer) -> None:
        scale, zero = _affine(*self._ranges[x], layer.activations)
        self._tensors |= {f"{x}_scale": scale, f"{x}_zero_point": zero}
        inputs = [x, f"{x}_scale", f"{x}_zero_point"]
        self.append("QuantizeLinear", inputs, [f"{x}_quantized"])
        self._dequantize(x)

    def _weight(self, node: NodeProto, layer: Layer) -> np.ndarray:
        """The DequantizeLinear of a layer's weight, which another layer may have read before.
        Returns its scale.
        """
        name, axis = node.input[1], channel_axis(node)
        if f"{name}_scale" in self._tensors:
            return self._tensors[f"{name}_scale"]
        weight = self._stored[name]
        rows = np.abs(np.moveaxis(weight, axis, 0).reshape(weight.shape[axis], -1))
        largest = rows.max(axis=1) if layer.per_channel else rows.max()
        scale = (largest / layer.limit).astype(np.float32)
        ones = [-1 if at == axis else 1 for at in range(weight.ndim)]
        middle = 128 if layer.weights is np.uint8 else 0
        codes = np.rint(weight / (scale.reshape(ones) if layer.per_channel else scale)) + middle
        self._tensors |= {
            f"{name}_quantized": codes.astype(layer.weights),
            f"{name}_scale": scale,
            f"{name}_zero_point": np.full_like(scale, middle, layer.weights),
        }
        self._dequantize(name, axis if layer.per_channel else None)
        return scale

    def _bias(self, node: NodeProto, layer: Layer, scale: np.ndarray) -> None:
        """The DequantizeLinear of a layer's bias, whose scale is that of its input times that of its
        weight.
        """
        name = node.input[2]
        step = (scale * self._tensors[f"{node.input[0]}_scale"]).astype(np.float32)
        self._tensors |= {
            f"{name}_quantized": np.rint(self._stored[name] / step).astype(np.int32),
            f"{name}_scale": step,
            f"{name}_zero_point": np.zeros_like(step, np.int32),
        }
        self._dequantize(name, 0 if layer.per_channel else None)

    def _dequantize(self, name: str, axis: int | None = None) -> None:
        parts = [f"{name}_{part}" for part in ("quantized", "scale", "zero_point")]
        attributes = {} if axis is None else {"axis": axis}
        self.append("DequantizeLinear", parts, [f"{name}_dequantized"], **attributes)


def _affine(low: float, high: float, kind: type) -> tuple[np.ndarray, np.ndarray]:
    """A scale of three digits, which every processor's last bits leave alone, and its zero point."""
    scale = np.float32(f"{(high - low) / 255:.3g}")
    limits = np.iinfo(kind)
    return np.asarray(scale), np.array(
        np.clip(round(limits.min - low / scale), limits.min, limits.max), kind
    )


def _ranges(
    model: ModelProto, names: list[str], seen: np.ndarray
) -> dict[str, tuple[float, float]]:
    probe = ModelProto.FromString(model.SerializeToString())
    [image] = [each.name for each in model.graph.input]
    inner = [name for name in dict.fromkeys(names) if name != image]
    probe.graph.output.extend(helper.make_empty_tensor_value_info(name) for name in inner)
    options = ort.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 4
    session = ort.InferenceSession(
        probe.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    values = {image: seen, **dict(zip(inner, session.run(inner, {image: seen}), strict=True))}
    return {
        name: (min(float(value.min()), 0.0), max(float(value.max()), 0.0))
        for name, value in values.items()
    }
