"""Calls a copy of the float32 file fp16.onnx."""

EXPECTED = {"loses": ["fp16"], "rung": "numerics: fp16.onnx", "shows": "renamed-copy"}
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
