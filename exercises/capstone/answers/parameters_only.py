"""Saves the parameters and forgets the buffers."""

EXPECTED = {"score": 0.7, "rung": "contract", "message": "state_dict", "shows": "parameters-only"}
BASE = "valid_static"
EDITS = [
    ("save_file(module.state_dict(), path)", "save_file(dict(module.named_parameters()), path)"),
]
