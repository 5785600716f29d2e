"""Writes the example's shape for the signature's."""

EXPECTED = {"loses": ["entries"], "rung": "quality: entries", "shows": "example-shape"}
BASE = "valid_static"
EDITS = [
    (
        '    weights = entry_of_weights(directory / "weights.safetensors")',
        """\
    weights = entry_of_weights(directory / "weights.safetensors")
    for entry in entries:
        entry["inputs"][0]["shape"][0] = len(example)""",
    ),
]
