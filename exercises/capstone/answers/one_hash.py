"""Writes the hash of the first file everywhere."""

EXPECTED = {"score": 0.7, "rung": "quality", "message": "the hash of another of the files", "shows": "one-hash"}
BASE = "valid_static"
EDITS = [
    (
        '    weights = entry_of_weights(directory / "weights.safetensors")',
        """\
    weights = entry_of_weights(directory / "weights.safetensors")
    for entry in entries:
        entry["sha256"] = entries[0]["sha256"]""",
    ),
]
