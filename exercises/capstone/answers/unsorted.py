"""Ships the float16 graph as the converter leaves it."""

EXPECTED = {"loses": ["fp16"], "rung": "numerics: fp16.onnx", "shows": "unsorted"}
BASE = "valid_static"
EDITS = [
    ("    half.graph.sort()", ""),
]
