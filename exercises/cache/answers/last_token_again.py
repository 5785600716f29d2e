"""Feeds the last token of the prompt twice."""

EXPECTED = {'score': 0.35, 'rung': 'numerics', 'message': 'was fed twice', 'shows': 'last-token-again'}
BASE = 'valid_plain'
EDITS = [
    (
        "    tokens = [logits[:, -1].argmax(-1)]",
        """    logits, cache = call(prompt_ids[:, -1:], cache, held)
    held += 1
    tokens = [logits[:, -1].argmax(-1)]""",
    ),
]
