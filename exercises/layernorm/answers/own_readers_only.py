"""Rewires the readers in the LayerNorm's own graph, and not those in the graphs inside."""

EXPECTED = {"loses": ["inside"], "rung": "structure", "shows": "readers-inside-forgotten"}
BASE = "valid_ir"
EDITS = [
    (
        """\
    else:
        result.replace_all_uses_with(x)""",
        """\
    else:
        for node, position in list(result.uses()):
            if node.graph is result.producer().graph:
                node.replace_input_with(position, x)""",
    ),
]
