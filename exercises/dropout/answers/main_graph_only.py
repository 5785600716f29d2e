"""Goes over the nodes of the main graph and never looks into subgraphs."""

EXPECTED = {"score": 0.75, "rung": "structure", "message": "in subgraphs only", "shows": "subgraphs-not-entered"}
BASE = "valid_ir"
EDITS = [("ir.traversal.RecursiveGraphIterator(copy.graph)", "copy.graph")]
