"""Makes a mask where a node reads it, and forgets that a graph output is read by the caller."""

EXPECTED = {"loses": ["masks"], "rung": "type", "shows": "raises-value-error"}
BASE = "valid_ir"
EDITS = [
    (
        "if len(node.outputs) > 1 and (node.outputs[1].uses() or node.outputs[1].is_graph_output()):",
        "if len(node.outputs) > 1 and node.outputs[1].uses():",
    ),
]
