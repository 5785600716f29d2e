"""Converts the value of a ConstantOfShape, and forgets that without one it is a float32 zero."""

EXPECTED = {"loses": ["constants"], "rung": "loads", "shows": "float-zeros"}
BASE = "valid_lifted"
EDITS = [('if node.op_type == "ConstantOfShape" and', 'if node.op_type == "ConstantOfShape" and node.attribute and')]
