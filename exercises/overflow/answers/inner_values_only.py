"""Looks at the values between the nodes alone, and not at the outputs of the graph."""

EXPECTED = {"loses": ["one-overflow"], "rung": "structure", "shows": "outputs-left-out"}
BASE = "valid_plain"
EDITS = [
    (
        'if node.op_type != "Constant" and',
        'if node.op_type != "Constant" and node.output[0] not in {value.name for value in model.graph.output} and',
    ),
]
