"""Takes a scale below the smallest normal number for none, as a library's quantizer does."""

EXPECTED = {"loses": ["tiny"], "rung": "structure", "shows": "limit-under-the-scale"}
BASE = "valid_plain"
EDITS = [("    if scale == 0:", "    if scale < np.finfo(np.float32).tiny:")]
