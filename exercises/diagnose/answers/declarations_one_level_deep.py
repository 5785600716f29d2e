"""Removes the declarations of branches, and not those of branches inside them."""

EXPECTED = {"loses": ["shapes"], "rung": "structure", "shows": "far-inside"}
BASE = "valid_plain"
EDITS = [
    (
        "            forget(attribute.g)",
        """\
            del attribute.g.value_info[:]
            for output in attribute.g.output:
                output.ClearField("type")""",
    ),
]
