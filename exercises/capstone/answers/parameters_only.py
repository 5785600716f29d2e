"""Saves the parameters and forgets the buffers."""

EXPECTED = {"loses": ["weights", "module"], "rung": "numerics: weights", "shows": "parameters-only"}
BASE = "valid_static"
EDITS = [
    ("save_file(module.state_dict(), path)", "save_file(dict(module.named_parameters()), path)"),
]
