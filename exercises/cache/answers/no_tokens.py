"""Returns places that are counted from behind."""

EXPECTED = {
    "loses": ["usual", "rows", "one-at-a-time", "positions-and-mask", "any-order", "form-of-the-cache", "together", "once"],
    "rung": "contract",
    "shows": "no-tokens",
}
BASE = 'valid_plain'
EDITS = [
    (
        "    return np.stack(tokens, axis=1)",
        "    return np.stack(tokens, axis=1) - logits.shape[-1]",
    ),
]
