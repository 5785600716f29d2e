"""Looks in value_info alone."""

EXPECTED = {"score": 0.6, "rung": "structure", "message": "graph outputs without their shapes", "shows": "no-graph-outputs"}
BASE = "valid_plain"
EDITS = [
    (
        "declared = {value.name: value for value in [*graph.value_info, *graph.output]}",
        "declared = {value.name: value for value in graph.value_info}",
    ),
]
