"""Looks at the first product of an Add only."""

EXPECTED = {"loses": ["readers"], "rung": "structure", "shows": "first-product-only"}
BASE = "valid_proto"
EDITS = [
    ("for pair in (add.input[:2], add.input[1::-1]) if", "for pair in first(add, products) if"),
    ("def allowed(", """\
def first(add, products):
    names = list(add.input)
    return [pair for pair in (names[:2], names[1::-1]) if pair and pair[0] in products][:1]


def allowed("""),
]
