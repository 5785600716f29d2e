"""A smallest scale, as observers in libraries have one."""

EXPECTED = {"loses": ["zeros", "tiny"], "rung": "structure", "shows": "nothing-to-divide-by"}
BASE = "valid_plain"
EDITS = [("    if scale == 0:\n        scale = np.float32(1)", "    scale = max(scale, np.finfo(np.float32).eps)")]
