"""Takes two named dimensions for equal."""

EXPECTED = {"loses": ["names"], "rung": "structure", "shows": "unproven"}
BASE = "valid_proto"
EDITS = [
    (
        "return all(dim in (1, other) for dim, other in zip(c[::-1], (b[1], a[0]), strict=False))",
        "return all(dim in (1, other) or isinstance(dim, str) for dim, other in zip(c[::-1], (b[1], a[0]), strict=False))",
    ),
]
