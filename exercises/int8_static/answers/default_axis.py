"""Gives each output channel a scale, and leaves out the attribute that names their axis."""

EXPECTED = {"loses": "everything", "rung": "numerics", "shows": "other-axis"}
BASE = "valid_by_hand"
EDITS = [('[f"{tensor.name}/float"], axis=axis)', '[f"{tensor.name}/float"])')]
