"""Never looks into subgraphs."""

EXPECTED = {"score": 0.625, "rung": "structure", "message": "in subgraphs only", "shows": "subgraphs-not-entered"}
BASE = "valid_ir"
EDITS = [
    ("for node in list(ir.traversal.RecursiveGraphIterator(copy.graph)):", "for node in list(copy.graph):"),
]
