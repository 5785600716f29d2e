"""Finds the faults of names and versions in the graph itself, and asks the checker last."""

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


def nodes(graph):
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            yield from nodes(attribute.g)


def given(graph):
    return [*(i.name for i in graph.input), *(t.name for t in graph.initializer), *(o for n in graph.node for o in n.output)]


def names(graph, outer, around=frozenset()):
    """The fault in the names of a graph, or None."""
    own = given(graph)
    if len(set(own)) < len(own):
        return "duplicate-name"
    known = outer | {i.name for i in graph.input} | {t.name for t in graph.initializer}
    found = []
    for node in graph.node:
        for name in node.input:
            if name and name not in known:
                found.append("not-sorted" if name in around.union(own) else "missing-value")
        found.extend(names(attribute.g, known, around.union(own)) for attribute in node.attribute if attribute.HasField("g"))
        known = known | set(node.output)
    found.extend("missing-value" for output in graph.output if output.name not in known)
    return next((fault for fault in ("duplicate-name", "missing-value", "not-sorted") if fault in found), None)


def by_structure(model):
    imports = {entry.domain for entry in model.opset_import}
    if any(node.domain not in imports for node in nodes(model.graph)) or model.ir_version > 13:
        return "bad-versions"
    opset = next(entry.version for entry in model.opset_import if entry.domain == "")
    if opset > 26:
        return "bad-versions"
    for node in nodes(model.graph):
        if not node.domain and refusal(onnx.defs.get_schema, node.op_type, opset):
            return "unknown-operator"
    return names(model.graph, frozenset())


def by_checker(model, text):
    for words, diagnosis in WORDS.items():
        if words in text:
            return diagnosis
    name = re.search("input '(.*?)' of node", text)[1]
    given = {output for node in nodes(model.graph) for output in node.output}
    return "not-sorted" if name in given else "missing-value"


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
    if fault := by_structure(model):
        return fault
    if text := refusal(checker.check_model, path):
        return by_checker(model, text)
    if refusal(shape_inference.infer_shapes, model, **STRICT):
        return by_shapes(model)
    if text := "".join(refusal(open_session, path, level) for level in LEVELS).lower():
        return by_session(text)
    return by_runs(path)
