"""Asks the domain of the MatMul, and takes an Add of another domain for one."""

EXPECTED = {"loses": ["lookalikes"], "rung": "structure", "shows": "another-domain"}
BASE = "valid_proto"
EDITS = [
    ('if is_a(add, "Add") and', 'if add.op_type == "Add" and'),
]
