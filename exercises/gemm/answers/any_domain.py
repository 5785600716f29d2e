"""Looks at the operators' names alone, so that a MatMul of another domain is taken for one."""

EXPECTED = {"loses": ["lookalikes"], "rung": "structure", "shows": "another-domain"}
BASE = "valid_proto"
EDITS = [
    ('if node.op_type == "MatMul" and not node.domain}', 'if node.op_type == "MatMul"}'),
]
