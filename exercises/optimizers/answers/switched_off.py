"""Switches one optimizer off at every level."""

EXPECTED = {"score": 0.4, "rung": "loads", "message": "disabled_optimizers", "shows": "switched-off"}
BASE = "valid_plain"
EDITS = [('providers=["CPUExecutionProvider"])', 'providers=["CPUExecutionProvider"], disabled_optimizers=["ConstantFolding"])')]
