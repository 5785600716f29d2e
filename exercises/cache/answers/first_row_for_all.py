"""Continues every row with the token of the first."""

EXPECTED = {"loses": ["rows", "positions-and-mask", "form-of-the-cache", "together"], "rung": "numerics", "shows": "first-row-for-all"}
BASE = 'valid_plain'
EDITS = [
    (
        "    tokens = [logits[:, -1].argmax(-1)]",
        "    tokens = [np.repeat(logits[0, -1].argmax(), rows)]",
    ),
    (
        "        tokens.append(logits[:, -1].argmax(-1))",
        "        tokens.append(np.repeat(logits[0, -1].argmax(), rows))",
    ),
]
