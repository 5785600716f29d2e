"""Returns places that are counted from behind."""

EXPECTED = {'score': 0.35, 'rung': 'contract', 'message': 'a number that is no token id', 'shows': 'no-tokens'}
BASE = 'valid_plain'
EDITS = [
    (
        "    return np.stack(tokens, axis=1)",
        "    return np.stack(tokens, axis=1) - logits.shape[-1]",
    ),
]
