"""Climbs the ladder, and reads what the checker says: the answer that most of the wrong ones spoil."""

import re

import numpy as np
import onnx
import onnxruntime as ort
from onnx import ModelProto, checker, shape_inference
from onnx.reference import ReferenceEvaluator
from safetensors import safe_open

from formatlab.models import museum

EXPECTED = {"rung": None}

LEVELS = (ort.GraphOptimizationLevel.ORT_DISABLE_ALL, ort.GraphOptimizationLevel.ORT_ENABLE_ALL)
STRICT = {"check_type": True, "strict_mode": True, "data_prop": True}
WORDS = {
    "opset_import": "bad-versions",
    "opset import": "bad-versions",
    "No Op registered": "unknown-operator",
    "single static assignment": "duplicate-name",
    "not unique": "duplicate-name",
    "not an output of any node": "missing-value",
    "TensorProto": "external-data",
}


def refusal(action, *arguments, **options):
    try:
        action(*arguments, **options)
    except Exception as error:
        return str(error) or type(error).__name__
    return ""


def open_session(path, level):
    options = ort.SessionOptions()
    options.graph_optimization_level = level
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    return ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def scopes(graph, name, around=frozenset()):
    """For each graph of which a node reads the name, what nodes write in it and around it."""
    known = around.union(*(node.output for node in graph.node))
    if any(name in node.input for node in graph.node):
        yield known
    for node in graph.node:
        for attribute in node.attribute:
            yield from scopes(attribute.g, name, known)


def by_checker(model, text):
    for words, diagnosis in WORDS.items():
        if words in text:
            return diagnosis
    name = re.search("input '(.*?)' of node", text)[1]
    return "not-sorted" if all(name in known for known in scopes(model.graph, name)) else "missing-value"


def forget(graph):
    del graph.value_info[:]
    for output in graph.output:
        output.ClearField("type")
    for node in graph.node:
        for attribute in node.attribute:
            forget(attribute.g)


def by_shapes(model):
    bare = ModelProto.FromString(model.SerializeToString())
    forget(bare.graph)
    return "operand-mismatch" if refusal(shape_inference.infer_shapes, bare, **STRICT) else "false-declaration"


def by_session(text):
    if "external" in text:
        return "external-data"
    return "bad-versions" if "ir version" in text or "opset" in text else "no-kernel"


def by_runs(path):
    right = []
    for evaluator in (*(open_session(path, level) for level in LEVELS), ReferenceEvaluator(str(path))):
        for run in museum.read_runs(path):
            try:
                with np.errstate(over="ignore", invalid="ignore"):
                    first, second = (evaluator.run(list(run.expected), run.feeds) for _ in range(2))
            except Exception:
                return "static-batch"
            if not all(np.array_equal(a, b, equal_nan=True) for a, b in zip(first, second, strict=True)):
                return "random-output"
            if max(museum.relative_error(a, b) for a, b in zip(first, run.expected.values(), strict=True)) > museum.TOLERANCE:
                return "wrong-numbers"
            right.extend(np.ravel(first[0].argmax(-1) == run.labels))
    return "healthy" if np.mean(right) >= museum.ACCURACY else "wrong-labels"


def diagnose(path):
    if path.suffix == ".safetensors":
        return "unreadable" if refusal(safe_open, path, framework="numpy") else "healthy"
    if refusal(onnx.load, path, load_external_data=False):
        return "unreadable"
    model = onnx.load(path, load_external_data=False)
    if not model.HasField("graph"):
        return "unreadable"
    if text := refusal(checker.check_model, path):
        return by_checker(model, text)
    if refusal(shape_inference.infer_shapes, model, **STRICT):
        return by_shapes(model)
    if text := "".join(refusal(open_session, path, level) for level in LEVELS).lower():
        return by_session(text)
    return by_runs(path)
