"""Never looks at the labels."""

EXPECTED = {"score": 0.9, "rung": "numerics", "message": "another order before the export", "shows": "labels-left-out"}
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
