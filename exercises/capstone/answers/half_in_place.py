"""Halves the module itself, and turns it back."""

EXPECTED = {"score": 0.7, "rung": "contract", "message": "its state_dict has changed", "shows": "half-in-place"}
BASE = "valid_static"
EDITS = [
    (
        "    entries = [entry_of(directory / name, expected, example) for name in MODELS]",
        """\
    entries = [entry_of(directory / name, expected, example) for name in MODELS]
    module.half().float()""",
    ),
]
