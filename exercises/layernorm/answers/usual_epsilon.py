"""Takes a small number alone for an epsilon."""

EXPECTED = {"loses": ["numbers"], "rung": "structure", "shows": "spelt-one-way"}
BASE = "valid_surgeon"
EDITS = [
    ("if is_number(e, x)), None)", "if is_number(e, x) and np.max(constant(e)) < 1e-3), None)"),
]
