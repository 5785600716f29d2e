"""Leaves out the token that the prompt's call gives."""

EXPECTED = {
    "loses": ["usual", "rows", "one-at-a-time", "positions-and-mask", "any-order", "form-of-the-cache", "together", "once"],
    "rung": "numerics",
    "shows": "first-token-lost",
}
BASE = 'valid_plain'
EDITS = [
    (
        "    while len(tokens) < steps:",
        "    while len(tokens) < steps + 1:",
    ),
    (
        "    return np.stack(tokens, axis=1)",
        "    return np.stack(tokens, axis=1)[:, 1:]",
    ),
]
