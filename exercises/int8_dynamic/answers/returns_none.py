"""Returns what quantize_dynamic returns."""

EXPECTED = {"score": 0.0, "rung": "type", "message": "quantize_dynamic writes a file and returns nothing", "shows": "returns-none"}
BASE = "valid_unsigned"
EDITS = [
    (
        """\
        path = f"{folder}/int8.onnx"
        quantize_dynamic(undescribed(model), path, per_channel=True, weight_type=QuantType.QUInt8)
        return onnx.load(path)""",
        '        return quantize_dynamic(undescribed(model), f"{folder}/int8.onnx", per_channel=True)',
    ),
]
