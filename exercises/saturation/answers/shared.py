"""Gives each layer a DequantizeLinear of its own, and leaves a scale in place that two of them read."""

EXPECTED = {"loses": ["shared"], "rung": "structure", "shows": "shared"}
BASE = "valid_halves"
EDITS = [
    (
        "                for at, part in enumerate(source.input):\n                    if part in seen:",
        "                again = name in seen\n                for at, part in enumerate(source.input):\n                    if again:",
    ),
    ("                    seen.add(part)\n", "                seen.add(name)\n"),
]
