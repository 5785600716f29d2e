"""Wants each dimension of the bias to be one of the product's."""

EXPECTED = {"score": 0.6, "rung": "structure", "message": 'in another place', "shows": "position"}
BASE = "valid_proto"
EDITS = [
    (
        '    return all(dim in (1, other) for dim, other in zip(c[::-1], (b[1], a[0]), strict=False))',
        '    return all(dim in (1, b[1], a[0]) for dim in c)',
    ),
]
