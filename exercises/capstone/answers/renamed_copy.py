"""Calls a copy of the float32 file fp16.onnx."""

EXPECTED = {"score": 0.5, "rung": "structure", "message": "The file was copied", "shows": "renamed-copy"}
BASE = "valid_static"
EDITS = [
    (
        """\
    half = ir.from_proto(convert_float_to_float16(onnx.load(source), keep_io_types=True))
    half.graph.sort()
    onnx.save(ir.to_proto(half), path)""",
        "    path.write_bytes(source.read_bytes())",
    ),
]
