"""Takes the hash of fp16.onnx before its nodes are sorted."""

EXPECTED = {"loses": ["hash-and-size"], "rung": "quality: hash and size", "shows": "early-hash"}
BASE = "valid_static"
EDITS = [
    (
        "    half = ir.from_proto(convert_float_to_float16(onnx.load(source), keep_io_types=True))",
        """\
    converted = convert_float_to_float16(onnx.load(source), keep_io_types=True)
    early = hashlib.sha256(converted.SerializeToString()).hexdigest()
    half = ir.from_proto(converted)""",
    ),
    (
        "    onnx.save(ir.to_proto(half), path)",
        """\
    onnx.save(ir.to_proto(half), path)
    return early""",
    ),
    ('to_half(directory / "fp32.onnx", directory / "fp16.onnx")', 'early = to_half(directory / "fp32.onnx", directory / "fp16.onnx")'),
    (
        '    weights = entry_of_weights(directory / "weights.safetensors")',
        """\
    weights = entry_of_weights(directory / "weights.safetensors")
    entries[1]["sha256"] = early""",
    ),
]
