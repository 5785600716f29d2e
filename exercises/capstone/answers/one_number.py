"""Measures the float16 file, and says the same of int8."""

EXPECTED = {"loses": ["sqnr"], "rung": "quality: sqnr", "shows": "one-number"}
BASE = "valid_static"
EDITS = [
    (
        '    weights = entry_of_weights(directory / "weights.safetensors")',
        """\
    weights = entry_of_weights(directory / "weights.safetensors")
    entries[2]["sqnr_db"] = entries[1]["sqnr_db"]""",
    ),
]
