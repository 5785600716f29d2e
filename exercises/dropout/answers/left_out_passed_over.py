"""Asks for a ratio, and passes over a Dropout that leaves it out by an empty name."""

EXPECTED = {"loses": ["settings", "left-over"], "rung": "structure", "shows": "some-passed-over"}
BASE = "valid_ir"
EDITS = [
    (
        'if node.op_type == "Dropout" and not node.domain:',
        'if node.op_type == "Dropout" and not node.domain and None not in node.inputs:',
    ),
]
