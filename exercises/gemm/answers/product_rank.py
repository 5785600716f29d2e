"""Asks for the product's number of dimensions and not for its factors'."""

EXPECTED = {"loses": ["ranks"], "rung": "loads", "shows": "factors"}
BASE = "valid_proto"
EDITS = [
    (
        """\
    if len(a) != 2 or len(b) != 2 or len(c) > 2:
        return False
    return all(dim in (1, other) for dim, other in zip(c[::-1], (b[1], a[0]), strict=False))""",
        """\
    if product not in known or len(known[product][1]) != 2 or len(c) > 2:
        return False
    return all(dim in (1, other) for dim, other in zip(c[::-1], (b[-1], a[0]), strict=False))""",
    ),
]
