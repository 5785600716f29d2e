"""FP16 and INT8: ranges, calls, and what they cost."""

import functools
import inspect
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
import torch
from onnx import TensorProto
from packaging.version import Version

from .ledger import Source, Verdict, holds, topic
from .running import attempt, count, model_of, new_path, node, relative_error, run, value, weight
from .subjects import cnn_torchscript, mlp_default, mlp_torchscript

claim = topic("Precision")
LAB = Source.LAB


@functools.cache
def quantized_cnn() -> onnx.ModelProto:
    """The CNN through the text's call."""
    return quantized(cnn_torchscript().path)


def quantized(path) -> onnx.ModelProto:
    from onnxruntime.quantization import QuantType, quantize_dynamic

    target = new_path("int8.onnx")
    quantize_dynamic(str(path), str(target), weight_type=QuantType.QInt8)
    return onnx.load(target)


@claim(
    "fp16-heading",
    LAB,
    "“FP16 Quantization with ONNX Runtime”: quantize_dynamic(…, weight_type=QuantType.QInt8).",
    Verdict.WRONG,
    "lab-7-01/03-fp16#a-heading-over-the-wrong-call",
)
def fp16_heading() -> str:
    model = quantized(mlp_torchscript().path)
    kinds = {
        TensorProto.DataType.Name(each.data_type)
        for each in model.graph.initializer
        if len(each.dims) == 2
    }
    holds(
        kinds == {"INT8"}
        and count(model, "MatMulInteger") == 2 == count(model, "DynamicQuantizeLinear"),
        f"{kinds}",
    )
    holds(
        "FLOAT16"
        not in {TensorProto.DataType.Name(each.data_type) for each in model.graph.initializer},
        "float16 after all",
    )
    return (
        "The call makes INT8 (MatMulInteger, DynamicQuantizeLinear, weights of int8). FP16 is a conversion of its own, "
        "`convert_float_to_float16`; the imported `optimizer` is not used."
    )


@claim(
    "quantize-dynamic",
    LAB,
    'quantize_dynamic("model.onnx", "model_int8.onnx", weight_type=QuantType.QInt8).',
    Verdict.MISLEADING,
    "lab-7-01/04-int8#dynamic-and-static",
)
def quantize_dynamic_call() -> str:
    traced = attempt(quantized, mlp_torchscript().path)
    default = attempt(quantized, mlp_default().path)
    if Version(ort.__version__) < Version("1.32"):
        as_expected = "Inferred shape and existing shape differ" in default
    else:
        as_expected = default == "accepted"
    holds(traced == "accepted" and as_expected, f"{traced}; {default}")
    return (
        "It works on the TorchScript-based export of the MLP. On the default export it fails up to ONNX Runtime 1.31, “Inferred shape and "
        "existing shape differ”: run `quant_pre_process` first. From 1.32 on it works on both."
    )


@claim(
    "dynamic-cpu-only",
    LAB,
    "Dynamic INT8 quantization (CPU-only).",
    Verdict.NOT_TESTABLE,
    "lab-7-01/04-int8#dynamic-and-static",
)
def dynamic_cpu_only() -> str:
    x = np.random.default_rng(0).normal(size=(1, 784)).astype(np.float32)
    error = relative_error(
        run(quantized(mlp_torchscript().path), {"input": x}),
        run(mlp_torchscript().model, {"input": x}),
    )
    holds(0 < error < 0.1, error)
    holds(not cuda_names(*INTEGER_OPERATORS), cuda_names(*INTEGER_OPERATORS))
    return (
        "Neither the call nor the model wants a GPU: the quantized MLP runs on the CPU provider, with a relative error below 0.1. The "
        f"library of the CUDA provider does not contain the names {', '.join(INTEGER_OPERATORS)}, so those nodes stay on the CPU there. "
        "No GPU was tried."
    )


INTEGER_OPERATORS = ("ConvInteger", "DynamicQuantizeLinear", "QLinearConv", "QLinearMatMul")


def cuda_names(*names: str) -> list[str]:
    """Those of the names that the library of ONNX Runtime's CUDA provider contains; none where this
    build has no such library.
    """
    found = [path.read_bytes() for path in Path(ort.__file__).parent.glob("capi/*providers_cuda*")]
    return [name for name in names if any(name.encode() in data for data in found)]


@claim(
    "fp16-bits",
    LAB,
    "FP16 uses 16-bit floating point, INT8 an 8-bit integer.",
    Verdict.CONFIRMED,
    "lab-7-01/03-fp16#sixteen-bits",
)
def bits() -> str:
    sizes = np.dtype(np.float16).itemsize * 8, np.dtype(np.int8).itemsize * 8
    holds(sizes == (16, 8), sizes)
    return f"{sizes[0]} and {sizes[1]} bits."


@claim(
    "fp16-range", LAB, "FP16 range: ~6·10⁻⁵ to 65504.", Verdict.MISLEADING, "lab-7-01/03-fp16#range"
)
def fp16_range() -> str:
    limits = np.finfo(np.float16)
    with np.errstate(over="ignore"):
        holds(
            float(limits.max) == 65504 and np.isinf(np.array(65520.0).astype(np.float16)),
            limits.max,
        )
    holds(5e-8 < float(limits.smallest_subnormal) < 7e-8, limits.smallest_subnormal)
    from onnxruntime.transformers.float16 import convert_float_to_float16

    values = np.array([[1e-9, 1e6]], np.float32)
    model = model_of(
        [node("MatMul", "x w")], [value("x", [1, 1])], [value("y", [1, 2])], [weight("w", values)]
    )
    converted = convert_float_to_float16(model)
    kept = next(
        onnx.numpy_helper.to_array(each) for each in converted.graph.initializer if each.name == "w"
    )
    holds(kept[0, 0] > 1e-8 and np.isfinite(kept[0, 1]), kept)
    return (
        f"{float(limits.smallest_normal):.2g} is the smallest normal number; subnormal ones go down to "
        f"{float(limits.smallest_subnormal):.1g}. "
        f"What is outside is clipped without a word: the converter makes {kept[0, 0]:.1g} of 1e-09 and {kept[0, 1]:g} of 1e+06."
    )


@claim(
    "int8-range",
    LAB,
    "INT8 range: -128 to 127.",
    Verdict.CONFIRMED,
    "lab-7-01/04a-int8-arithmetic#affine-quantization",
)
def int8_range() -> str:
    limits = np.iinfo(np.int8)
    holds((limits.min, limits.max) == (-128, 127), limits)
    return f"{limits.min} to {limits.max} as stored; a scale and a zero point say which numbers they stand for."


@claim(
    "int8-needs-calibration",
    LAB,
    "INT8 requires calibration data to compute activation ranges.",
    Verdict.MISLEADING,
    "lab-7-01/04-int8#dynamic-and-static",
)
def needs_calibration() -> str:
    model = quantized(mlp_torchscript().path)
    holds(count(model, "DynamicQuantizeLinear") == 2, count(model, "DynamicQuantizeLinear"))
    from onnxruntime.quantization import quantize_dynamic, quantize_static

    needed = [
        "calibration_data_reader" in inspect.signature(call).parameters
        for call in (quantize_dynamic, quantize_static)
    ]
    holds(needed == [False, True], needed)
    return (
        "Static quantization does. Dynamic quantization, the text's own call, takes none: DynamicQuantizeLinear finds the ranges while "
        "the model runs."
    )


@claim(
    "fp16-lossless",
    LAB,
    "FP16 is lossless for most models.",
    Verdict.WRONG,
    "lab-7-01/03-fp16#is-it-lossless",
)
def fp16_lossless() -> str:
    holds(float(np.float16(2049)) == 2048 and float(np.float16(0.1)) != 0.1, np.float16(0.1))
    weights = [
        onnx.numpy_helper.to_array(each) for each in cnn_torchscript().model.graph.initializer
    ]
    numbers = np.concatenate([each.ravel() for each in weights if each.dtype == np.float32])
    changed = (numbers.astype(np.float16).astype(np.float32) != numbers).mean()
    error = (
        np.abs(numbers.astype(np.float16).astype(np.float32) - numbers).max()
        / np.abs(numbers).max()
    )
    holds(changed > 0.9 and error < 1e-3, f"{changed}, {error}")
    return (
        "2049 becomes 2048. Of the CNN's weights more than 90 % change, by less than 0.1 % of the largest: a small loss, often without "
        "effect on the label, but a loss."
    )


@claim(
    "int8-accuracy",
    LAB,
    "INT8 risks > 1 % accuracy loss without QAT.",
    Verdict.MISLEADING,
    "lab-7-01/04-int8#rescaled-channels",
)
def int8_accuracy() -> str:
    losses = {
        name: int8_loss(spread) for name, spread in {"as trained": 0.0, "rescaled": 1.5}.items()
    }
    holds(abs(losses["as trained"]) <= 0.01 and losses["rescaled"] > 0.05, losses)
    return (
        "It depends on the weights, not on QAT alone. A classifier of noisy clusters loses at most one percentage point to static "
        "INT8; with its hidden "
        "channels rescaled, the same function in FP32, it loses more than five."
    )


def int8_loss(spread: float) -> float:
    """Accuracy that static INT8, one scale per tensor, costs a classifier of clusters whose hidden
    channels are rescaled by 10^±spread.
    """
    from onnxruntime.quantization import (
        CalibrationDataReader,
        QuantFormat,
        QuantType,
        quantize_static,
    )

    x, labels = _clusters()
    first, last = _trained()
    scale = 10 ** np.random.default_rng(0).uniform(-spread, spread, size=first.out_features).astype(
        np.float32
    )
    weights = {
        "w1": first.weight.detach().numpy().T * scale,
        "b1": first.bias.detach().numpy() * scale,
        "w2": last.weight.detach().numpy().T / scale[:, None],
        "b2": last.bias.detach().numpy(),
    }
    nodes = [
        node("MatMul", "x w1", "m"),
        node("Add", "m b1", "a"),
        node("Relu", "a", "r"),
        node("MatMul", "r w2", "n"),
        node("Add", "n b2"),
    ]
    tensors = [weight(name, array.astype(np.float32)) for name, array in weights.items()]
    model = model_of(nodes, [value("x", ["n", 64])], [value("y", ["n", 10])], tensors, opset=18)
    source, target = new_path("fp32.onnx"), new_path("int8.onnx")
    onnx.save(model, source)

    class Reader(CalibrationDataReader):
        def __init__(self):
            self.batches = iter([{"x": x[:500]}])

        def get_next(self):
            return next(self.batches, None)

    quantize_static(
        str(source),
        str(target),
        Reader(),
        quant_format=QuantFormat.QDQ,
        activation_type=QuantType.QUInt8,
        weight_type=QuantType.QInt8,
    )
    right = [
        (run(each, {"x": x}).argmax(1) == labels).mean() for each in (model, onnx.load(target))
    ]
    return float(right[0] - right[1])


@functools.cache
def _clusters() -> tuple[np.ndarray, np.ndarray]:
    """2000 points around ten centres in 64 dimensions, and the centre of each."""
    rng = np.random.default_rng(0)
    labels = rng.integers(10, size=2000)
    return (rng.normal(size=(10, 64))[labels] + 1.5 * rng.normal(size=(2000, 64))).astype(
        np.float32
    ), labels


@functools.cache
def _trained():
    """64 -> 32 -> 10, trained on the clusters for a second or so."""
    x, labels = (torch.from_numpy(each) for each in _clusters())
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        first, last = torch.nn.Linear(64, 32), torch.nn.Linear(32, 10)
    optimizer = torch.optim.Adam([*first.parameters(), *last.parameters()], lr=0.01)
    for _ in range(200):
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(last(first(x).relu()), labels.long()).backward()
        optimizer.step()
    return first, last
