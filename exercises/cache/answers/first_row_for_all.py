"""Continues every row with the token of the first."""

EXPECTED = {'score': 0.521, 'rung': 'numerics', 'message': 'the token of the first row', 'shows': 'first-row-for-all'}
BASE = 'valid_plain'
EDITS = [
    (
        "    tokens = [logits[:, -1].argmax(-1)]",
        "    tokens = [np.repeat(logits[0, -1].argmax(), rows)]",
    ),
    (
        "        tokens.append(logits[:, -1].argmax(-1))",
        "        tokens.append(np.repeat(logits[0, -1].argmax(), rows))",
    ),
]
