"""Tries the file with the prompt first where there are several rows."""

EXPECTED = {"loses": ["together"], "rung": "quality", "shows": "fed-again"}
BASE = "valid_plain"
EDITS = [
    (
        """\
    held = 0
    while held""",
        """\
    if rows > 1:
        call(prompt_ids[:, :width], cache, 0)
    held = 0
    while held""",
    ),
]
