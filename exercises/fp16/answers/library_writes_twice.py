"""Repairs what the converter writes, but lets it write one Cast for each reader, all under one name."""

EXPECTED = {"loses": ["large"], "rung": "type", "shows": "double-casts"}
BASE = "valid_library"
EDITS = [
    ("    once = {node.output[0]: node for node in half.graph.node}\n", ""),
    ("for node in once.values()]", "for node in half.graph.node]"),
]
