"""Stops before int8."""

EXPECTED = {
    "loses": ["int8", "block", "choice", "impossible"],
    "rung": "numerics: int8.onnx",
    "shows": "no-int8",
}
BASE = "valid_static"
EDITS = [
    ('MODELS = ["fp32.onnx", "fp16.onnx", "int8.onnx"]', 'MODELS = ["fp32.onnx", "fp16.onnx"]'),
    ('    quantize(directory / "fp32.onnx", directory / "int8.onnx", example)', ""),
]
