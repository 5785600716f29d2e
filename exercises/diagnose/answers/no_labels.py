"""Never looks at the labels."""

EXPECTED = {"loses": ["numbers"], "rung": "numerics", "shows": "labels-left-out"}
BASE = "valid_plain"
EDITS = [
    (
        """\
    right = []
""",
        "",
    ),
    (
        """\
            right.extend(np.ravel(first[0].argmax(-1) == run.labels))
    return "healthy" if np.mean(right) >= museum.ACCURACY else "wrong-labels"
""",
        """\
    return "healthy"
""",
    ),
]
