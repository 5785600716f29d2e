"""Exports the module in the mode in which it comes."""

EXPECTED = {"score": 0.6, "rung": "numerics", "message": "the module in training mode", "shows": "training-export"}
BASE = "valid_static"
EDITS = [
    ("    buffer = io.BytesIO()", ""),
    ('    axes = {"input": {0: "batch"}, "output": {0: "batch"}}', ""),
    (
        """\
        torch.onnx.export(copy.deepcopy(module).eval(), (example,), buffer, dynamo=False, dynamic_axes=axes, **names)
    path.write_bytes(buffer.getvalue())""",
        """\
        shapes = ({0: "batch"},)
        program = torch.onnx.export(copy.deepcopy(module), (example,), dynamo=True, verbose=False, dynamic_shapes=shapes, **names)
    onnx.save(program.model_proto, path)""",
    ),
]
