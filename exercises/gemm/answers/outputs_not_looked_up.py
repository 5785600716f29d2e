"""Takes shapes from the inputs and from value_info, and not from the outputs."""

EXPECTED = {"loses": ["outputs"], "rung": "structure", "shows": "outputs-not-looked-up"}
BASE = "valid_proto"
EDITS = [
    (
        'for value in (*graph.input, *graph.output, *graph.value_info)',
        'for value in (*graph.input, *graph.value_info)',
    ),
]
