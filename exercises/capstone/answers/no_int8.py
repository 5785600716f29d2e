"""Stops before int8."""

EXPECTED = {"score": 0.5, "rung": "structure", "message": "no such file", "shows": "no-int8"}
BASE = "valid_static"
EDITS = [
    ('MODELS = ["fp32.onnx", "fp16.onnx", "int8.onnx"]', 'MODELS = ["fp32.onnx", "fp16.onnx"]'),
    ('    quantize(directory / "fp32.onnx", directory / "int8.onnx", example)', ""),
]
