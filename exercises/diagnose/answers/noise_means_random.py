"""Takes every operator that draws numbers for random outputs."""

EXPECTED = {"loses": ["healthy"], "rung": "numerics", "shows": "idle-noise"}
BASE = "valid_plain"
EDITS = [
    (
        "            if not all(np.array_equal(a, b, equal_nan=True) for a, b in zip(first, second, strict=True)):",
        """\
            draws = "RandomNormalLike" in str(onnx.load(path, load_external_data=False).graph)
            if draws or not all(np.array_equal(a, b, equal_nan=True) for a, b in zip(first, second, strict=True)):""",
    ),
]
