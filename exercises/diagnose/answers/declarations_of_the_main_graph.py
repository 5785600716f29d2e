"""Removes the declarations of the main graph alone."""

EXPECTED = {"loses": ["shapes"], "rung": "structure", "shows": "declarations-in-branches"}
BASE = "valid_plain"
EDITS = [
    ('    for node in graph.node:\n        for attribute in node.attribute:\n            forget(attribute.g)\n', ''),
]
