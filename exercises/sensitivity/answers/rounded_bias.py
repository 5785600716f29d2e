"""Puts back weight and input, and leaves the bias in codes."""

EXPECTED = {"loses": ["as-it-was"], "rung": "structure: as it was", "shows": "rounded-bias"}
BASE = "valid_sets"
EDITS = [("node.input[:] = before[node.name].input", "node.input[:] = [*before[node.name].input[:2], *list(node.input)[2:]]")]
