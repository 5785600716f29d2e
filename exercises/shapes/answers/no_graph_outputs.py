"""Looks in value_info alone."""

EXPECTED = {"loses": ["declarations"], "rung": "structure", "shows": "no-graph-outputs"}
BASE = "valid_plain"
EDITS = [
    (
        "declared = {value.name: value for value in [*graph.value_info, *graph.output]}",
        "declared = {value.name: value for value in graph.value_info}",
    ),
]
