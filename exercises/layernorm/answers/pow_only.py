"""Knows Pow, and not Mul, as a square."""

EXPECTED = {"loses": ["spelt-out", "left-over"], "rung": "structure", "shows": "one-square-only"}
BASE = "valid_ir"
EDITS = [
    (
        """\
    power, product = writer(value, "Pow"), writer(value, "Mul")
    if power:
        return power.inputs[0] is d and is_number(power.inputs[1], d, 2)
    return bool(product) and product.inputs[0] is d and product.inputs[1] is d""",
        """\
    power = writer(value, "Pow")
    return bool(power) and power.inputs[0] is d and is_number(power.inputs[1], d, 2)""",
    ),
]
