"""Leaves the name of a multiple to the exporter."""

EXPECTED = {"loses": ["multiples"], "rung": "contract: every name", "shows": "named-in-part"}
BASE = "valid_walk"
EDITS = [
    (
        """\
    def named(tensor, axes):
        return {axis: word for axis, word in enumerate(axes) if word in dims}""",
        """\
    def named(tensor, axes):
        single = {word for word in dims if "multiple" not in limits.get(word, {})}
        return {axis: word for axis, word in enumerate(axes) if word in single}""",
    ),
]
