"""Hands an empty cache to every call."""

EXPECTED = {
    "loses": ["usual", "rows", "one-at-a-time", "positions-and-mask", "any-order", "form-of-the-cache", "together", "once"],
    "rung": "numerics",
    "shows": "cache-forgotten",
}
BASE = 'valid_plain'
EDITS = [
    (
        '        return found["logits"], {past: found[present] for past, present in wires.items()}',
        '        return found["logits"], cache',
    ),
    (
        "np.ones((rows, start + new), np.int64)",
        "np.ones((rows, new), np.int64)",
    ),
]
