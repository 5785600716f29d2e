"""Puts the Identity for an output behind the writer of the LayerNorm's input, and a graph input has none."""

EXPECTED = {"loses": ["outputs"], "rung": "type", "shows": "raises-attribute-error"}
BASE = "valid_ir"
EDITS = [
    (
        "        result.producer().graph.insert_after(result.producer(), identity)",
        """\
        graph = result.producer().graph
        graph.insert_after(x.producer() if x.producer().graph is graph else result.producer(), identity)""",
    ),
]
