"""Enters the branches of an If and lists of graphs, and not the body of a Loop."""

EXPECTED = {"loses": ["graphs"], "rung": "contract", "shows": "no-bodies"}
BASE = "valid_plain"
EDITS = [("for child in (attribute.g, *attribute.graphs))", 'for child in (attribute.g, *attribute.graphs) if attribute.name != "body")')]
