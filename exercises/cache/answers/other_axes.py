"""Returns an array of (steps, batch)."""

EXPECTED = {'score': 0.35, 'rung': 'contract', 'message': 'A row of the result continues', 'shows': 'other-axes'}
BASE = 'valid_plain'
EDITS = [
    (
        "    return np.stack(tokens, axis=1)",
        "    return np.stack(tokens)",
    ),
]
