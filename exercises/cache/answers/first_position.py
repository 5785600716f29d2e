"""Reads the logits behind the first token of a call."""

EXPECTED = {'score': 0.35, 'rung': 'numerics', 'message': 'behind the first token of the call', 'shows': 'first-position'}
BASE = 'valid_plain'
EDITS = [
    (
        "    tokens = [logits[:, -1].argmax(-1)]",
        "    tokens = [logits[:, 0].argmax(-1)]",
    ),
]
