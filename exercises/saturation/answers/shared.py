"""Gives each layer a DequantizeLinear of its own, and leaves a scale in place that two of them read."""

EXPECTED = {"score": 0.55, "rung": "structure", "message": "tensors of its own", "shows": "shared"}
BASE = "valid_halves"
EDITS = [
    (
        "                for at, part in enumerate(source.input):\n                    if part in seen:",
        "                again = name in seen\n                for at, part in enumerate(source.input):\n                    if again:",
    ),
    ("                    seen.add(part)\n", "                seen.add(name)\n"),
]
