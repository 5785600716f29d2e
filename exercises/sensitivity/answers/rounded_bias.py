"""Puts back weight and input, and leaves the bias in codes."""

EXPECTED = {"score": 0.35, "rung": "structure", "message": "the bias of the float model", "shows": "rounded-bias"}
BASE = "valid_sets"
EDITS = [("node.input[:] = before[node.name].input", "node.input[:] = [*before[node.name].input[:2], *list(node.input)[2:]]")]
