"""Knows the outputs of the main graph, and not those of branches."""

EXPECTED = {"loses": ["declarations"], "rung": "structure", "shows": "no-branch-outputs"}
BASE = "valid_plain"
EDITS = [
    (
        "[*graph.value_info, *graph.output]",
        "[*graph.value_info, *(graph.output if graph is graphs[0] else ())]",
    ),
]
