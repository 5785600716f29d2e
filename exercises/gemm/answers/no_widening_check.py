"""Looks at the numbers of dimensions and not at the dimensions."""

EXPECTED = {"loses": ["bias-shapes", "names", "unknown", "inside"], "rung": "loads", "shows": "widens"}
BASE = "valid_proto"
EDITS = [
    (
        """\
    if len(a) != 2 or len(b) != 2 or len(c) > 2:
        return False
    return all(dim in (1, other) for dim, other in zip(c[::-1], (b[1], a[0]), strict=False))""",
        "    return len(a) == len(b) == 2 and len(c) <= 2",
    ),
]
