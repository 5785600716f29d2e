"""Gives each output channel a scale, and leaves out the attribute that names their axis."""

EXPECTED = {"score": 0.1, "rung": "numerics", "message": "Its axis is 1 unless the attribute says another", "shows": "other-axis"}
BASE = "valid_by_hand"
EDITS = [('[f"{tensor.name}/float"], axis=axis)', '[f"{tensor.name}/float"])')]
