"""Adds the files of the main graph's tensors alone."""

EXPECTED = {"score": 0.7, "rung": "numerics", "message": "only the files that the main graph refers to", "shows": "files-of-the-main-graph"}
BASE = "valid_plain"
EDITS = [("external = [tensor for tensor in tensors if", "external = [tensor for tensor in model.graph.initializer if")]
