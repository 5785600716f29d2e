"""Takes every power and every product for a square."""

EXPECTED = {"score": 0.8, "rung": "structure: left alone", "message": "missing: Add (3), Div (3)", "shows": "takes-a-relative"}
BASE = "valid_ir"
EDITS = [
    ("return power.inputs[0] is d and constant(power.inputs[1]) == 2", "return True"),
    ("return bool(product) and product.inputs[0] is d and product.inputs[1] is d", "return bool(product)"),
]
