"""Climbs with the museum's own ladder, and reads what the first broken rung says."""

import re

import onnx

from formatlab.models import museum

EXPECTED = {"rung": None}
WORDS = {
    "IR version": "bad-versions",
    "Opset": "bad-versions",
    "opset_import": "bad-versions",
    "opset import": "bad-versions",
    "No Op registered": "unknown-operator",
    "static assignment": "duplicate-name",
    "not unique": "duplicate-name",
    "output of any node in graph": "missing-value",
    "existing": "false-declaration",
    "invalid dimensions for input": "static-batch",
    "running Reshape": "static-batch",
    "two runs": "random-output",
    "relative error": "wrong-numbers",
    "rows are right": "wrong-labels",
    "not a registered": "no-kernel",
    "NOT_IMPLEMENTED": "no-kernel",
    "ShapeInferenceError": "operand-mismatch",
}


def graphs_of(graph, around=()):
    yield (*around, graph)
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from graphs_of(attribute.g, (*around, graph))


def giver_follows(text, path):
    name = re.search("input '(.*?)' of node", text)[1]
    graph = onnx.load(path, load_external_data=False).graph
    readers = [each for each in graphs_of(graph) if any(name in node.input for node in each[-1].node)]
    return all(any(name in node.output for graph in around for node in graph.node) for around in readers)


def diagnose(path):
    failure = museum.first_failure(str(path))
    if failure is None:
        return "healthy"
    text = str(failure.error)
    if failure.rung == "parse" or not onnx.load(path, load_external_data=False).HasField("graph"):
        return "unreadable"
    if "xternal" in text or "TensorProto (" in text:
        return "external-data"
    if "topologically" in text:
        return "not-sorted" if giver_follows(text, path) else "missing-value"
    return next(diagnosis for words, diagnosis in WORDS.items() if words in text)
