"""Never looks into subgraphs."""

EXPECTED = {"score": 0.8, "rung": "structure: readers", "message": "in subgraphs only", "shows": "subgraphs-not-entered"}
BASE = "valid_ir"
EDITS = [
    ("for node in list(ir.traversal.RecursiveGraphIterator(copy.graph)):", "for node in list(copy.graph):"),
]
