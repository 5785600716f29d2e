"""Feeds the last token of the prompt twice."""

EXPECTED = {
    "loses": ["usual", "rows", "one-at-a-time", "positions-and-mask", "any-order", "form-of-the-cache", "together", "once"],
    "rung": "numerics",
    "shows": "last-token-again",
}
BASE = 'valid_plain'
EDITS = [
    (
        "    tokens = [logits[:, -1].argmax(-1)]",
        """    logits, cache = call(prompt_ids[:, -1:], cache, held)
    held += 1
    tokens = [logits[:, -1].argmax(-1)]""",
    ),
]
