"""Returns an array of (steps, batch)."""

EXPECTED = {
    "loses": ["usual", "rows", "one-at-a-time", "positions-and-mask", "any-order", "form-of-the-cache", "together", "once"],
    "rung": "contract",
    "shows": "other-axes",
}
BASE = 'valid_plain'
EDITS = [
    (
        "    return np.stack(tokens, axis=1)",
        "    return np.stack(tokens)",
    ),
]
