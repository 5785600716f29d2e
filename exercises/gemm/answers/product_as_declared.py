"""Compares the bias with what is declared of the product."""

EXPECTED = {"loses": ["names"], "rung": "structure", "shows": "as-declared"}
BASE = "valid_proto"
EDITS = [
    ("for dim, other in zip(c[::-1], (b[1], a[0]), strict=False))", "for dim, other in zip(c[::-1], known[product][1][::-1], strict=False))"),
]
