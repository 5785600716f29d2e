"""Keeps the cache of the first call for ever."""

EXPECTED = {
    "loses": ["usual", "rows", "one-at-a-time", "positions-and-mask", "any-order", "form-of-the-cache", "together", "once"],
    "rung": "numerics",
    "shows": "first-cache-kept",
}
BASE = 'valid_plain'
EDITS = [
    (
        """    held = 0
""",
        """    held, empty = 0, cache
""",
    ),
    (
        "np.ones((rows, start + new), np.int64)",
        "np.ones((rows, new + (width if start else 0)), np.int64)",
    ),
    (
        '        return found["logits"], {past: found[present] for past, present in wires.items()}',
        """        return found["logits"], cache if start else {past: found[present] for past, present in wires.items()}""",
    ),
]
