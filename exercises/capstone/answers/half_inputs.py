"""Takes and gives float16."""

EXPECTED = {"loses": ["fp16"], "rung": "numerics: fp16.onnx", "shows": "half-inputs"}
BASE = "valid_static"
EDITS = [
    (
        "half = ir.from_proto(convert_float_to_float16(onnx.load(source), keep_io_types=True))",
        "half = ir.from_proto(convert_float_to_float16(onnx.load(source), keep_io_types=False))",
    ),
    (
        '    [[found]] = evaluate(path.read_bytes(), [{"input": example.numpy()}])',
        """\
    rows = example.numpy()
    if path.name == "fp16.onnx":
        rows = rows.astype(np.float16)
    [[found]] = evaluate(path.read_bytes(), [{"input": rows}])""",
    ),
]
