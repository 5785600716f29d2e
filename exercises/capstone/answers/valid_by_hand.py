"""Stores rounded weights behind a Cast or a DequantizeLinear, by hand, and lists entries and domains its own way."""

import copy
import hashlib
import io
import math
import warnings
from collections import Counter

import numpy as np
import onnx
import torch
from onnx import helper, numpy_helper
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


def rewrite(source, path, store):
    """Replace each float32 initializer by what `store` makes of it: initializers, and the node that restores it."""
    model = onnx.load(source)
    nodes, initializers = [], []
    for tensor in model.graph.initializer:
        values = numpy_helper.to_array(tensor)
        if values.dtype == np.float32 and values.size > 1:
            stored, node = store(tensor.name, values)
            initializers += stored
            nodes.append(node)
        else:
            initializers.append(tensor)
    del model.graph.initializer[:]
    model.graph.initializer.extend(initializers)
    kept = list(model.graph.node)
    del model.graph.node[:]
    model.graph.node.extend([*nodes, *kept])
    model.producer_name, model.producer_version = "by hand", ""
    onnx.save(model, path)


def to_half(source, path):
    def store(name, values):
        half = numpy_helper.from_array(values.astype(np.float16), name + "_half")
        return [half], helper.make_node("Cast", [half.name], [name], to=onnx.TensorProto.FLOAT)

    rewrite(source, path, store)


def quantize(source, path, example):
    def store(name, values):
        others = tuple(range(1, values.ndim))
        scale = np.maximum(np.abs(values).max(axis=others) if others else np.abs(values), 1e-6) / 127
        if values.ndim == 1:
            scale = np.float32(scale.max())
        shape = (-1, *[1] * (values.ndim - 1)) if np.ndim(scale) else ()
        rounded = np.round(values / np.reshape(scale, shape)).astype(np.int8)
        pairs = [("_q", rounded), ("_scale", np.asarray(scale, np.float32))]
        tensors = [numpy_helper.from_array(array, name + suffix) for suffix, array in pairs]
        return tensors, helper.make_node("DequantizeLinear", [tensor.name for tensor in tensors], [name], axis=0)

    rewrite(source, path, store)


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
    return {**facts(path), "made_by": ["me"], "elements": {"float16": 0, **count(load_file(path).values())}, "note": None}


def entry_of(path, expected, example):
    model = onnx.load(path)
    return {
        **facts(path),
        "producer": {"name": model.producer_name, "version": model.producer_version},
        "ir_version": model.ir_version,
        "opset_imports": {entry.domain or "ai.onnx": entry.version for entry in model.opset_import},
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
    return {
        "artefacts": (weights, *reversed(entries)),
        "budget": dict(budget),
        "made_by": ["me"],
        "chosen": chosen,
        "met": chosen is not None,
    }
