"""Enters the branches of an If, and not the body of a Loop."""

EXPECTED = {"loses": ["inside"], "rung": "structure", "shows": "subgraphs-not-entered"}
BASE = "valid_proto"
EDITS = [
    ('if attribute.HasField("g")]', 'if attribute.name in ("then_branch", "else_branch")]'),
]
