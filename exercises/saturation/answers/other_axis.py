"""Takes the first axis of every weight for its outputs."""

EXPECTED = {"loses": ["one-large"], "rung": "structure", "shows": "other-axis"}
BASE = "valid_halves"
EDITS = [('axis = 0 if node.op_type == "Conv" or transposed else 1', 'axis = 0')]
