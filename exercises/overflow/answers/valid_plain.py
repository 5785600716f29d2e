"""All values from one call of the reference evaluator, then a walk over the nodes."""

import numpy as np
from onnx import numpy_helper
from onnx.reference import ReferenceEvaluator

EXPECTED = {"rung": None}


def find_overflow(model, feeds):
    with np.errstate(all="ignore"):
        values = ReferenceEvaluator(model).run(None, feeds, intermediate=True)
    values |= {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    found = []
    for node in model.graph.node:
        if node.op_type != "Constant" and all(np.isfinite(values[name]).all() for name in node.input if name):
            found += [name for name in node.output if not np.isfinite(values[name]).all()]
    return found
