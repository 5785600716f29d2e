"""Hands an empty cache to every call."""

EXPECTED = {'score': 0.35, 'rung': 'numerics', 'message': 'began with an empty cache', 'shows': 'cache-forgotten'}
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
