"""Looks at the operator's name alone, so that a Dropout of another domain goes too."""

EXPECTED = {"loses": ["domain"], "rung": "structure", "shows": "another-domain"}
BASE = "valid_rename"
EDITS = [
    ('if node.op_type == "Dropout" and not node.domain:', 'if node.op_type == "Dropout":'),
]
