"""The TorchScript-based exporter, and dynamic quantization."""

import copy
import hashlib
import io
import math
import warnings
from collections import Counter

import numpy as np
import onnx
import onnx_ir as ir
import torch
from onnx import helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic
from onnxruntime.transformers.float16 import convert_float_to_float16
from safetensors.numpy import load_file
from safetensors.torch import save_file

from formatlab.quantized import evaluate

MODELS = ["fp32.onnx", "fp16.onnx", "int8.onnx"]
EXPECTED = {"rung": None}


def export(module, example, path):
    buffer = io.BytesIO()
    names = {"input_names": ["input"], "output_names": ["output"]}
    axes = {"input": {0: "batch"}, "output": {0: "batch"}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(copy.deepcopy(module).eval(), (example,), buffer, dynamo=False, dynamic_axes=axes, **names)
    path.write_bytes(buffer.getvalue())


def to_half(source, path):
    half = ir.from_proto(convert_float_to_float16(onnx.load(source), keep_io_types=True))
    half.graph.sort()
    onnx.save(ir.to_proto(half), path)


def quantize(source, path, example):
    quantize_dynamic(source, path, weight_type=QuantType.QInt8)


def save_weights(module, path):
    save_file(module.state_dict(), path)


def dtype_name(kind):
    return helper.tensor_dtype_to_np_dtype(kind).name


def signature(values):
    return [
        {
            "name": value.name,
            "dtype": dtype_name(value.type.tensor_type.elem_type),
            "shape": [dim.dim_param or dim.dim_value for dim in value.type.tensor_type.shape.dim],
        }
        for value in values
    ]


def truth(module, example):
    with torch.no_grad():
        return copy.deepcopy(module).eval()(example).numpy()


def measure(expected, path, example):
    [[found]] = evaluate(path.read_bytes(), [{"input": example.numpy()}])
    noise = np.square(expected.astype(float) - found).sum()
    return min(100.0, 10 * math.log10(np.square(expected.astype(float)).sum() / noise)) if noise else 100.0


def facts(path):
    data = path.read_bytes()
    return {"file": path.name, "sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}


def count(tensors):
    elements = Counter()
    for tensor in tensors:
        elements[tensor.dtype.name] += tensor.size
    return dict(elements)


def entry_of_weights(path):
    return {**facts(path), "elements": count(load_file(path).values())}


def entry_of(path, expected, example):
    model = onnx.load(path)
    return {
        **facts(path),
        "producer": {"name": model.producer_name, "version": model.producer_version},
        "ir_version": model.ir_version,
        "opset_imports": {entry.domain: entry.version for entry in model.opset_import},
        "inputs": signature(model.graph.input),
        "outputs": signature(model.graph.output),
        "elements": count(map(numpy_helper.to_array, model.graph.initializer)),
        "sqnr_db": measure(expected, path, example),
    }


def choose(entries, budget):
    fitting = [entry for entry in entries if entry["bytes"] <= budget["bytes"] and entry["sqnr_db"] >= budget["sqnr_db"]]
    return fitting[0]["file"] if fitting else None


def convert(module, example, budget, directory):
    export(module, example, directory / "fp32.onnx")
    to_half(directory / "fp32.onnx", directory / "fp16.onnx")
    quantize(directory / "fp32.onnx", directory / "int8.onnx", example)
    save_weights(module, directory / "weights.safetensors")
    expected = truth(module, example)
    entries = [entry_of(directory / name, expected, example) for name in MODELS]
    weights = entry_of_weights(directory / "weights.safetensors")
    chosen = choose(entries, budget)
    return {"artefacts": [*entries, weights], "budget": budget, "chosen": chosen, "met": chosen is not None}
