"""Never looks at the feeds, and blames the first node that reads an infinite one."""

EXPECTED = {"loses": ["infinite-feed"], "rung": "structure", "shows": "lists-downstream"}
BASE = "valid_as_outputs"
EDITS = [("    values.update(feeds)\n", "")]
