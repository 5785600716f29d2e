"""Wants each dimension of the bias to be the product's, and never 1."""

EXPECTED = {"loses": ["bias-shapes"], "rung": "structure", "shows": "ones-refused"}
BASE = "valid_proto"
EDITS = [
    (
        '    return all(dim in (1, other) for dim, other in zip(c[::-1], (b[1], a[0]), strict=False))',
        '    return all(dim == other for dim, other in zip(c[::-1], (b[1], a[0]), strict=False))',
    ),
]
