"""Writes the IR version of the first file everywhere."""

EXPECTED = {"loses": ["entries"], "rung": "quality: entries", "shows": "constant-ir"}
BASE = "valid_static"
EDITS = [
    (
        '    weights = entry_of_weights(directory / "weights.safetensors")',
        """\
    weights = entry_of_weights(directory / "weights.safetensors")
    for entry in entries:
        entry["ir_version"] = 10""",
    ),
]
