"""Switches one optimizer off at every level."""

EXPECTED = {"loses": ["folded", "nested", "files-folded", "source", "ints"], "rung": "structure", "shows": "switched-off"}
BASE = "valid_plain"
EDITS = [('providers=["CPUExecutionProvider"])', 'providers=["CPUExecutionProvider"], disabled_optimizers=["ConstantFolding"])')]
