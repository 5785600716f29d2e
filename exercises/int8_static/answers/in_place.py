"""Hands the model itself to quantize_static, which edits it."""

EXPECTED = {"loses": ["argument"], "rung": "contract: the argument", "shows": "in-place"}
BASE = "valid_no_preprocess"
EDITS = [
    ('source, target = f"{folder}/float.onnx", f"{folder}/int8.onnx"', 'target = f"{folder}/int8.onnx"'),
    (
        """\
        onnx.save(with_initializers(model), source)
        quantize_static(source, target, Reader(calibration), per_channel=True, **types)""",
        "        quantize_static(with_initializers(model), target, Reader(calibration), per_channel=True, **types)",
    ),
    (
        """\
    new = onnx.ModelProto()
    new.CopyFrom(model)
    for node""",
        """\
    new = model
    for node""",
    ),
]
