"""Never looks at the feeds, and blames the first node that reads an infinite one."""

EXPECTED = {"score": 0.8875, "rung": "structure", "message": "behind an overflow", "shows": "lists-downstream"}
BASE = "valid_as_outputs"
EDITS = [("    values.update(feeds)\n", "")]
