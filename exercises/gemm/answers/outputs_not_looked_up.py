"""Takes shapes from the inputs and from value_info, and not from the outputs."""

EXPECTED = {"score": 0.75, "rung": "structure", "message": "value_info does not list the graph's outputs", "shows": "outputs-not-looked-up"}
BASE = "valid_proto"
EDITS = [
    (
        'for value in (*graph.input, *graph.output, *graph.value_info)',
        'for value in (*graph.input, *graph.value_info)',
    ),
]
