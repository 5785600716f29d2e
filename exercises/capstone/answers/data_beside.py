"""Lets the exporter put the weights into a second file."""

EXPECTED = {"loses": "everything", "rung": "loads", "shows": "data-beside"}
BASE = "valid_static"
EDITS = [
    (
        """\
    buffer = io.BytesIO()
    names = {"input_names": ["input"], "output_names": ["output"]}
    axes = {"input": {0: "batch"}, "output": {0: "batch"}}""",
        '    names = {"input_names": ["input"], "output_names": ["output"], "dynamic_shapes": ({0: "batch"},)}',
    ),
    (
        """\
        torch.onnx.export(copy.deepcopy(module).eval(), (example,), buffer, dynamo=False, dynamic_axes=axes, **names)
    path.write_bytes(buffer.getvalue())""",
        "        torch.onnx.export(copy.deepcopy(module).eval(), (example,), path, dynamo=True, verbose=False, **names)",
    ),
    (
        '[[found]] = evaluate(path.read_bytes(), [{"input": example.numpy()}])',
        '[[found]] = evaluate(onnx.load(path), [{"input": example.numpy()}])',
    ),
]
