"""Returns the first value and stops."""

EXPECTED = {"score": 0.6625, "rung": "structure", "message": "some of the names", "shows": "first-only"}
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
