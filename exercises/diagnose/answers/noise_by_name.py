"""Runs a model twice only where a node of the main graph can draw."""

EXPECTED = {"loses": ["random"], "rung": "numerics", "shows": "noise-by-name"}
BASE = "valid_plain"
EDITS = [
    (
        "            if not all(np.array_equal(a, b, equal_nan=True) for a, b in zip(first, second, strict=True)):",
        """\
            drawn = ("Dropout", "RandomNormalLike")
            can_draw = any(node.op_type in drawn for node in onnx.load(path, load_external_data=False).graph.node)
            if can_draw and not all(np.array_equal(a, b, equal_nan=True) for a, b in zip(first, second, strict=True)):""",
    ),
]
