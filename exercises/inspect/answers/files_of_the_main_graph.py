"""Adds the files of the main graph's tensors alone."""

EXPECTED = {"loses": ["external"], "rung": "numerics", "shows": "files-of-the-main-graph"}
BASE = "valid_plain"
EDITS = [("external = [tensor for tensor in tensors if", "external = [tensor for tensor in model.graph.initializer if")]
