"""Looks for the writers of the main graph's outputs alone."""

EXPECTED = {"loses": ["order"], "rung": "type", "shows": "raises-type-error"}
BASE = "valid_structure"
EDITS = [
    (
        '    found.extend("missing-value" for output in graph.output if output.name not in known)',
        '    found.extend("missing-value" for output in graph.output if not outer and output.name not in known)',
    ),
    (
        """\
    "not an output of any node": "missing-value",
""",
        "",
    ),
]
