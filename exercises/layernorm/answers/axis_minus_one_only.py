"""Takes a LayerNormalization only where its axis is -1, and not where it is counted from the front."""

EXPECTED = {"loses": ["operator"], "rung": "structure", "shows": "statistics-passed-over"}
BASE = "valid_ir"
EDITS = [
    (
        'if is_a(node, "LayerNormalization"):',
        'if is_a(node, "LayerNormalization") and ("axis" not in node.attributes or node.attributes["axis"].as_int() == -1):',
    ),
]
