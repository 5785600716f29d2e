"""Goes over the nodes of the main graph and never looks into subgraphs."""

EXPECTED = {"loses": ["masks", "inside", "left-over"], "rung": "structure", "shows": "subgraphs-not-entered"}
BASE = "valid_ir"
EDITS = [("ir.traversal.RecursiveGraphIterator(copy.graph)", "copy.graph")]
