"""Makes names that are new in the main graph, and does not look at those inside."""

EXPECTED = {"loses": ["masks"], "rung": "loads", "shows": "name-taken-inside"}
BASE = "valid_ir"
EDITS = [("for graph in copy.graphs() for node in graph for", "for node in copy.graph for")]
