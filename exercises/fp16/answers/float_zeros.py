"""Converts the value of a ConstantOfShape, and forgets that without one it is a float32 zero."""

EXPECTED = {"score": 0.6, "rung": "loads", "message": "a ConstantOfShape was missed", "shows": "misses-constants"}
BASE = "valid_lifted"
EDITS = [('if node.op_type == "ConstantOfShape" and', 'if node.op_type == "ConstantOfShape" and node.attribute and')]
