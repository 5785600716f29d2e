"""Rounds an initializer that is an input as well: its default."""

EXPECTED = {"loses": ["inputs-and-outputs"], "rung": "loads", "shows": "default-converted"}
BASE = "valid_new_names"
EDITS = [
    ('if tensor.data_type != F32 or tensor.name in graph_inputs:', 'if tensor.data_type != F32:'),
]
