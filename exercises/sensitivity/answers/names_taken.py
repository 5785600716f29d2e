"""Adds the float tensors under their old names, which the quantized model uses for others."""

EXPECTED = {"loses": ["small-branch"], "rung": "type", "shows": "names-taken"}
BASE = "valid_sets"
EDITS = [("    model = under_new_names(model, small)\n", "")]
