"""Every value becomes an output of a copy of the model."""

import numpy as np
import onnx
from onnx import numpy_helper
from onnx.reference import ReferenceEvaluator

EXPECTED = {"rung": None}


def find_overflow(model, feeds):
    shown = onnx.ModelProto.FromString(model.SerializeToString())
    names = [name for node in model.graph.node for name in node.output if name]
    del shown.graph.output[:]
    shown.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names)
    with np.errstate(all="ignore"):
        values = dict(zip(names, ReferenceEvaluator(shown).run(names, feeds), strict=True))
    values.update(feeds)
    values.update({tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer})
    broken = {name for name, value in values.items() if not np.isfinite(value).all()}
    guilty = [node for node in model.graph.node if node.op_type != "Constant" and not broken.intersection(node.input)]
    return [name for node in guilty for name in node.output if name in broken]
