"""Adds the float tensors under their old names, which the quantized model uses for others."""

EXPECTED = {"score": 0.6, "rung": "type", "message": "Two tensors of your model have one name", "shows": "names-taken"}
BASE = "valid_sets"
EDITS = [("    model = under_new_names(model, small)\n", "")]
