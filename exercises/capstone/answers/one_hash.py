"""Writes the hash of the first file everywhere."""

EXPECTED = {"loses": ["hash-and-size"], "rung": "quality: hash and size", "shows": "one-hash"}
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
