"""Takes the centred value either way round."""

EXPECTED = {"loses": ["relatives"], "rung": "structure", "shows": "takes-a-relative"}
BASE = "valid_ir"
EDITS = [
    (
        '    mean = writer(sub.inputs[1], "ReduceMean")',
        """\
    x, other = sub.inputs if writer(sub.inputs[1], "ReduceMean") else sub.inputs[::-1]
    mean = writer(other, "ReduceMean")""",
    ),
    ("if not mean or not variance or mean.inputs[0] is not sub.inputs[0]:", "if not mean or not variance or mean.inputs[0] is not x:"),
    (
        "return sub.inputs[0] if axes(mean) == list(range(-len(axes(mean)), 0)) else None",
        "return x if axes(mean) == list(range(-len(axes(mean)), 0)) else None",
    ),
]
