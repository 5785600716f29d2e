"""Writes the file only when it is known to be right, and leaves an older one where it lay."""

EXPECTED = {"score": 0.7, "rung": "type", "message": "the file that lay there before the call", "shows": "older-file-stays"}
BASE = "valid_copy"
EDITS = [("    Path(path).unlink(missing_ok=True)\n", "")]
