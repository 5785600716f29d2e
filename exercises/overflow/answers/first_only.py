"""Returns the first value and stops."""

EXPECTED = {"loses": ["two-overflows"], "rung": "structure", "shows": "first-only"}
BASE = "valid_plain"
EDITS = [
    (
        "            found += [name for name in node.output if not np.isfinite(values[name]).all()]",
        """\
            found += [name for name in node.output if not np.isfinite(values[name]).all()]
        if found:
            break""",
    ),
]
