"""Never looks into subgraphs."""

EXPECTED = {"loses": ["inside"], "rung": "structure", "shows": "subgraphs-not-entered"}
BASE = "valid_ir"
EDITS = [
    ("for node in list(ir.traversal.RecursiveGraphIterator(copy.graph)):", "for node in list(copy.graph):"),
]
