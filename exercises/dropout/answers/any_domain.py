"""Looks at the operator's name alone, so that a Dropout of another domain goes too."""

EXPECTED = {"score": 0.4, "rung": "structure", "message": "my::Dropout", "shows": "another-domain"}
BASE = "valid_rename"
EDITS = [
    ('if node.op_type == "Dropout" and not node.domain:', 'if node.op_type == "Dropout":'),
]
