"""Takes every power and every product for a square."""

EXPECTED = {"loses": ["relatives"], "rung": "structure", "shows": "takes-a-relative"}
BASE = "valid_ir"
EDITS = [
    ("return power.inputs[0] is d and is_number(power.inputs[1], d, 2)", "return is_number(power.inputs[1], d)"),
    ("return bool(product) and product.inputs[0] is d and product.inputs[1] is d", "return bool(product)"),
]
