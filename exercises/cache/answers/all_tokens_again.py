"""Feeds the whole text beside a cache that holds it."""

EXPECTED = {
    "loses": ["usual", "rows", "one-at-a-time", "positions-and-mask", "any-order", "form-of-the-cache", "together", "once"],
    "rung": "numerics",
    "shows": "all-tokens-again",
}
BASE = 'valid_plain'
EDITS = [
    (
        """        newest = tokens[-1][:, None]
        logits, cache = call(newest, cache, held)
        held += 1
""",
        """        text = np.concatenate([prompt_ids, np.stack(tokens, axis=1)], axis=1)
        step = 1 if width == 1 else text.shape[1]
        for begin in range(0, text.shape[1], step):
            logits, cache = call(text[:, begin : begin + step], cache, held)
            held += step
""",
    ),
]
