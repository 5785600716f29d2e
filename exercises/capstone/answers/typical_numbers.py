"""Writes down SQNRs that are typical."""

EXPECTED = {"loses": ["sqnr"], "rung": "quality: sqnr", "shows": "typical-numbers"}
BASE = "valid_static"
EDITS = [
    ('"sqnr_db": measure(expected, path, example),', '"sqnr_db": {"fp32.onnx": 100.0, "fp16.onnx": 60.0, "int8.onnx": 36.0}[path.name],'),
]
