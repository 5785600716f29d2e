"""Returns the path of the file that it wrote."""

EXPECTED = {"loses": "everything", "rung": "type", "shows": "returns-path"}
BASE = "valid_unsigned"
EDITS = [
    (
        """\
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/int8.onnx"
        quantize_dynamic(undescribed(model), path, per_channel=True, weight_type=QuantType.QUInt8)
        return onnx.load(path)""",
        """\
    path = f"{tempfile.mkdtemp()}/int8.onnx"
    quantize_dynamic(undescribed(model), path, per_channel=True)
    return path""",
    ),
]
