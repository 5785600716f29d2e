"""Counts initializers as static."""

EXPECTED = {"loses": ["values", "tidy"], "rung": "contract", "shows": "counts-initializers"}
BASE = "valid_plain"
EDITS = [
    (
        "        declared = {value.name: value for value in [*graph.value_info, *graph.output]}",
        """        declared = {value.name: value for value in [*graph.value_info, *graph.output]}
        counts["static"] += len(graph.initializer)""",
    ),
]
