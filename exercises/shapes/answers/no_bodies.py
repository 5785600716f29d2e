"""Enters the branches of an If and lists of graphs, and not the body of a Loop."""

EXPECTED = {"score": 0.962, "rung": "contract", "message": "the bodies of loops passed over", "shows": "no-bodies"}
BASE = "valid_plain"
EDITS = [("for child in (attribute.g, *attribute.graphs))", 'for child in (attribute.g, *attribute.graphs) if attribute.name != "body")')]
