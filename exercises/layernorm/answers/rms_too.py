"""Takes x / sqrt(mean(x * x)) for a LayerNorm too."""

EXPECTED = {"loses": ["relatives"], "rung": "structure", "shows": "takes-a-relative"}
BASE = "valid_ir"
EDITS = [
    ("    if not sub or not total:\n", "    if not total:\n"),
    ('    mean = writer(sub.inputs[1], "ReduceMean")\n', ""),
    ("is_number(e, sub.inputs[0])", "is_number(e, div.inputs[0])"),
    (
        "    if not mean or not variance",
        """\
    if not sub:
        return div.inputs[0] if variance and is_square(variance.inputs[0], div.inputs[0]) else None
    mean = writer(sub.inputs[1], "ReduceMean")
    if not mean or not variance""",
    ),
]
