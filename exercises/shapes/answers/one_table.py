"""Puts the declarations of all graphs into one table."""

EXPECTED = {"loses": ["declarations", "graphs"], "rung": "structure", "shows": "one-table"}
BASE = "valid_plain"
EDITS = [
    ("graphs = [model.graph]", "graphs, declared = [model.graph], {}"),
    (
        "declared = {value.name: value for value in [*graph.value_info, *graph.output]}",
        "declared.update({value.name: value for value in [*graph.value_info, *graph.output]})",
    ),
]
