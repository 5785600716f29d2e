"""Certifies with a session on the CPU: finite outputs, so no overflow."""

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "cpu-runtime"}
BASE = "valid_plain"
EDITS = [
    (
        "import numpy as np",
        """\
import onnxruntime as ort
import numpy as np""",
    ),
    (
        """\
    with np.errstate(all="ignore"):
        values = ReferenceEvaluator(model).run(None, feeds, intermediate=True)
    values |= {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    found = []
    for node in model.graph.node:
        if node.op_type != "Constant" and all(np.isfinite(values[name]).all() for name in node.input if name):
            found += [name for name in node.output if not np.isfinite(values[name]).all()]
    return found""",
        """\
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    outputs = dict(zip([value.name for value in session.get_outputs()], session.run(None, feeds), strict=True))
    return [name for name, value in outputs.items() if not np.isfinite(value).all()]""",
    ),
]
