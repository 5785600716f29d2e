"""Writes the file only when it is known to be right, and leaves an older one where it lay."""

EXPECTED = {"loses": ["no-valid-file", "module"], "rung": "type", "shows": "older-file-stays"}
BASE = "valid_copy"
EDITS = [("    Path(path).unlink(missing_ok=True)\n", "")]
