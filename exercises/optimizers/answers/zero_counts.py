"""Begins with the operators of the source, and leaves those at 0 that are gone."""

EXPECTED = {"loses": ["ints"], "rung": "quality", "shows": "zero-counts"}
BASE = "valid_plain"
EDITS = [
    (
        """        counts[key] = count(directory / f"{key}.onnx")""",
        """        counts[key] = dict.fromkeys(count(path), 0) | count(directory / f"{key}.onnx")""",
    ),
]
