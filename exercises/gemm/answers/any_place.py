"""Wants each dimension of the bias to be one of the product's."""

EXPECTED = {"loses": ["names"], "rung": "structure", "shows": "position"}
BASE = "valid_proto"
EDITS = [
    (
        '    return all(dim in (1, other) for dim, other in zip(c[::-1], (b[1], a[0]), strict=False))',
        '    return all(dim in (1, b[1], a[0]) for dim in c)',
    ),
]
