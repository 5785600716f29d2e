"""One model at several precisions, each written by the tool that ONNX Runtime brings for it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import StrEnum
from functools import partial
from pathlib import Path

import numpy as np
import onnx
from onnx import ModelProto, TensorProto

from formatlab import graphs
from formatlab.measure.errors import CannotBench, first_line

Feeds = Mapping[str, np.ndarray]
QUANTIZED = {
    "QuantizeLinear",
    "DequantizeLinear",
    "DynamicQuantizeLinear",
    "QLinearConv",
    "QLinearMatMul",
    "MatMulInteger",
    "ConvInteger",
    "MatMulNBits",
}


class Precision(StrEnum):
    """`given` is the file as it is; `fp32` too, once it was seen to hold nothing else."""

    given = "given"
    fp32 = "fp32"
    fp16 = "fp16"
    int8_dynamic = "int8-dynamic"
    int8_static = "int8-static"
    int8_static_reduced = "int8-static-reduced"


def convert(path: Path, precision: Precision, folder: Path, feeds: Feeds | Sequence[Feeds]) -> Path:
    """The model of `path` at `precision`: `path` itself, or a file in `folder`.

    fp16 keeps the types of inputs and outputs. int8-dynamic and int8-static are per channel, with
    int8 weights; static has uint8 activations between QuantizeLinear and DequantizeLinear,
    calibrated on `feeds`, one or several: on random ones its time counts and its error says little.
    int8-static-reduced has weights of seven bits: sums of two such products saturate on no
    processor. Raises CannotBench.
    """
    if precision == Precision.given:
        return path
    found = sorted(_other_types(onnx.load(path, load_external_data=False)))
    if found:
        raise CannotBench(
            f"{path.name} is not FP32, it holds {', '.join(found)}: measure it with --precision given"
        )
    if precision == Precision.fp32:
        return path
    target = folder / f"{precision}.onnx"
    write = WRITERS[precision]
    try:
        with _quiet():
            model = _with_one_default_domain(onnx.load(path))
            write(model, target, [feeds] if isinstance(feeds, Mapping) else list(feeds))
    # Whatever the converters raise on models that they were not made for.
    except Exception as problem:  # noqa: BLE001
        raise CannotBench(
            f"{path.name} could not be converted to {precision}: {first_line(problem)}"
        ) from None
    return target


def _other_types(model: ModelProto) -> set[str]:
    """Weights of fewer bits than float32 has, wherever in the model, and quantized operators."""
    small = {TensorProto.FLOAT16, TensorProto.BFLOAT16} | {
        kind
        for name, kind in TensorProto.DataType.items()
        if name.startswith(("FLOAT8", "FLOAT4", "INT4", "UINT4", "INT2", "UINT2"))
    }
    types = {
        TensorProto.DataType.Name(tensor.data_type)
        for tensor in graphs.tensors(model)
        if tensor.data_type in small
    }
    return types | {node.op_type for node in graphs.nodes(model) if node.op_type in QUANTIZED}


def _fp16(model: ModelProto, target: Path, _feeds: list[Feeds]) -> None:
    from onnxruntime.transformers.float16 import convert_float_to_float16

    onnx.save(convert_float_to_float16(model, keep_io_types=True), target)


def _int8_dynamic(model: ModelProto, target: Path, _feeds: list[Feeds]) -> None:
    from onnxruntime.quantization import QuantType, quantize_dynamic

    quantize_dynamic(
        _without_shapes_of_weights(model), target, per_channel=True, weight_type=QuantType.QInt8
    )


def _int8_static(
    model: ModelProto, target: Path, feeds: list[Feeds], reduce_range: bool = False
) -> None:
    from onnxruntime.quantization import QuantFormat, QuantType, quant_pre_process, quantize_static

    prepared = target.with_suffix(".prepared.onnx")
    quant_pre_process(_without_shapes_of_weights(model), prepared, auto_merge=True)
    # Without convolutions, the products alone: the mask that attention adds, about -1e38, would
    # take the whole 8-bit range.
    convolves = any(node.op_type == "Conv" for node in model.graph.node)
    quantize_static(
        prepared,
        target,
        _reader(feeds),
        QuantFormat.QDQ,
        op_types_to_quantize=None if convolves else ["MatMul", "Gemm"],
        per_channel=True,
        reduce_range=reduce_range,
        # The pair that the dot products of x86 processors take.
        activation_type=QuantType.QUInt8,
        weight_type=QuantType.QInt8,
    )


def _reader(feeds: list[Feeds]):
    from onnxruntime.quantization import CalibrationDataReader

    class Reader(CalibrationDataReader):
        def __init__(self):
            self.left = list(feeds)

        def get_next(self):
            return self.left.pop() if self.left else None

    return Reader()


WRITERS: dict[Precision, Callable[[ModelProto, Path, list[Feeds]], None]] = {
    Precision.fp16: _fp16,
    Precision.int8_dynamic: _int8_dynamic,
    Precision.int8_static: _int8_static,
    Precision.int8_static_reduced: partial(_int8_static, reduce_range=True),
}


def _without_shapes_of_weights(model: ModelProto) -> ModelProto:
    """The quantizer transposes a weight and leaves its old shape in `value_info`, where torch's
    exporter has put it. Changes `model`.
    """
    weights = {tensor.name for tensor in model.graph.initializer}
    kept = [value for value in model.graph.value_info if value.name not in weights]
    del model.graph.value_info[:]
    model.graph.value_info.extend(kept)
    return model


def _with_one_default_domain(model: ModelProto) -> ModelProto:
    """ONNX's own operators have two names of one domain, "" and "ai.onnx". A file may import both,
    and the quantizers then find neither. Changes `model`.
    """
    for node in graphs.nodes(model):
        if node.domain == "ai.onnx":
            node.domain = ""
    own = [each for each in model.opset_import if each.domain in ("", "ai.onnx")]
    others = [each for each in model.opset_import if each.domain not in ("", "ai.onnx")]
    if len({each.version for each in own}) == 1:
        del model.opset_import[:]
        model.opset_import.extend([onnx.helper.make_opsetid("", own[0].version), *others])
    return model


@contextmanager
def _quiet() -> Iterator[None]:
    """The quantizers' advice on how to call them is not for the user of a command."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(before)
