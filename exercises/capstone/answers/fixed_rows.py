"""Leaves the number of rows as the example has it."""

EXPECTED = {
    "loses": ["fp32", "fp16", "int8", "block"],
    "rung": "numerics: fp32.onnx",
    "shows": "fixed-rows",
}
BASE = "valid_static"
EDITS = [
    ('    axes = {"input": {0: "batch"}, "output": {0: "batch"}}', ""),
    (
        "torch.onnx.export(copy.deepcopy(module).eval(), (example,), buffer, dynamo=False, dynamic_axes=axes, **names)",
        "torch.onnx.export(copy.deepcopy(module).eval(), (example,), buffer, dynamo=False, **names)",
    ),
]
