"""Returns the prompt with its continuation."""

EXPECTED = {
    "loses": ["usual", "rows", "one-at-a-time", "positions-and-mask", "any-order", "form-of-the-cache", "together", "once"],
    "rung": "contract",
    "shows": "prompt-returned",
}
BASE = 'valid_plain'
EDITS = [
    (
        "    return np.stack(tokens, axis=1)",
        "    return np.concatenate([prompt_ids, np.stack(tokens, axis=1)], axis=1)",
    ),
]
