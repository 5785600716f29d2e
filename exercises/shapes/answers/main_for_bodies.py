"""Looks up in the main graph what the body of a loop does not declare."""

EXPECTED = {"loses": ["graphs"], "rung": "structure", "shows": "main-for-bodies"}
BASE = "valid_plain"
EDITS = [
    (
        "declared = {value.name: value for value in [*graph.value_info, *graph.output]}",
        "around = [model.graph] if graph.input else []\n"
        "        declared = {value.name: value for each in [*around, graph] for value in [*each.value_info, *each.output]}",
    ),
]
