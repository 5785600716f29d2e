"""Lets a session on the CPU give out every value, and believes what it says."""

EXPECTED = {"score": 0.775, "rung": "structure", "message": "computes in float32", "shows": "first-only"}
BASE = "valid_plain"
EDITS = [
    ("import numpy as np", "import onnx\nimport onnxruntime as ort\nimport numpy as np"),
    (
        """\
    with np.errstate(all="ignore"):
        values = ReferenceEvaluator(model).run(None, feeds, intermediate=True)
""",
        """\
    probe = onnx.ModelProto.FromString(onnx.shape_inference.infer_shapes(model).SerializeToString())
    outputs = {value.name for value in probe.graph.output}
    probe.graph.output.extend(value for value in probe.graph.value_info if value.name not in outputs)
    session = ort.InferenceSession(probe.SerializeToString(), providers=["CPUExecutionProvider"])
    names = [value.name for value in session.get_outputs()]
    values = {**feeds, **dict(zip(names, session.run(None, feeds), strict=True))}
""",
    ),
]
