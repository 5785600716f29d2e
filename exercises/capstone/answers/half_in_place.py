"""Halves the module itself, and turns it back."""

EXPECTED = {"loses": ["module"], "rung": "contract: the module", "shows": "half-in-place"}
BASE = "valid_static"
EDITS = [
    (
        "    entries = [entry_of(directory / name, expected, example) for name in MODELS]",
        """\
    entries = [entry_of(directory / name, expected, example) for name in MODELS]
    module.half().float()""",
    ),
]
