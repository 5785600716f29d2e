"""Keeps the names that the exporter chooses."""

EXPECTED = {"loses": ["fp32", "block"], "rung": "numerics: fp32.onnx", "shows": "own-names"}
BASE = "valid_static"
EDITS = [
    ('self.batches = iter([{"input": rows}])', 'self.batches = iter([{"x": rows}])'),
    (
        """\
    names = {"input_names": ["input"], "output_names": ["output"]}
    axes = {"input": {0: "batch"}, "output": {0: "batch"}}""",
        '    names = {"input_names": ["x"], "output_names": ["y"], "dynamic_axes": {"x": {0: "batch"}, "y": {0: "batch"}}}',
    ),
    (
        "torch.onnx.export(copy.deepcopy(module).eval(), (example,), buffer, dynamo=False, dynamic_axes=axes, **names)",
        "torch.onnx.export(copy.deepcopy(module).eval(), (example,), buffer, dynamo=False, **names)",
    ),
    (
        '[[found]] = evaluate(path.read_bytes(), [{"input": example.numpy()}])',
        '[[found]] = evaluate(path.read_bytes(), [{"x": example.numpy()}])',
    ),
]
