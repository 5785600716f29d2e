"""Returns what quantize_dynamic returns."""

EXPECTED = {"loses": "everything", "rung": "type", "shows": "returns-none"}
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
