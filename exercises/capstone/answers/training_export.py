"""Exports the module in the mode in which it comes."""

EXPECTED = {
    "loses": ["fp32", "fp16", "int8"],
    "rung": "numerics: fp32.onnx",
    "shows": "training-export",
}
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
