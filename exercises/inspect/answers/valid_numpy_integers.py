"""Other helpers and numbers: numpy integers, a Counter, a stack instead of recursion."""

import os
from collections import Counter

import numpy as np
from onnx import AttributeProto, external_data_helper

EXPECTED = {"rung": None}


def describe(model, directory=None):
    operators, parameters, locations = Counter(), np.int64(0), []
    waiting = [model.graph, *model.functions]
    while waiting:
        body = waiting.pop()
        for node in body.node:
            operators[node.op_type if node.domain in ("", "ai.onnx") else node.domain + "::" + node.op_type] += 1
            for attribute in node.attribute:
                if attribute.type == AttributeProto.GRAPH:
                    waiting.append(attribute.g)
                elif attribute.type == AttributeProto.GRAPHS:
                    waiting.extend(attribute.graphs)
        for tensor in getattr(body, "initializer", ()):
            parameters += np.prod(tensor.dims, dtype=np.int64)
            if external_data_helper.uses_external_data(tensor):
                locations.append(external_data_helper.ExternalDataInfo(tensor).location)
    versions = {entry.domain or "ai.onnx": entry.version for entry in model.opset_import}
    files = [os.path.getsize(os.path.join(directory, location)) for location in np.unique(locations)]
    return {
        "bytes": np.int64(model.ByteSize() + sum(files)),
        "parameters": parameters,
        "operators": operators,
        "opset": versions["ai.onnx"],
        "ir_version": model.ir_version,
    }
