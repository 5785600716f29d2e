"""A smallest scale, as observers in libraries have one."""

EXPECTED = {"score": 0.719, "rung": "structure", "message": "range is empty", "shows": "nothing-to-divide-by"}
BASE = "valid_plain"
EDITS = [("    if scale == 0:\n        scale = np.float32(1)", "    scale = max(scale, np.finfo(np.float32).eps)")]
