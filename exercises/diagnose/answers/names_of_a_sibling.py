"""Collects the names that nodes give in any graph of the model."""

EXPECTED = {"loses": ["order"], "rung": "structure", "shows": "names-of-a-sibling"}
BASE = "valid_plain"
EDITS = [
    ('all(name in known for known in scopes(model.graph, name))', 'f\'output: "{name}"\' in str(model)'),
]
