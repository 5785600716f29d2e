"""Removes the file by a method that a string does not have."""

EXPECTED = {"loses": ["no-valid-file", "module"], "rung": "type", "shows": "leaves-the-file"}
BASE = "valid_torchscript"
EDITS = [("Path(path).unlink(missing_ok=True)", "path.unlink(missing_ok=True)")]
