"""Leaves out the token that the prompt's call gives."""

EXPECTED = {'score': 0.35, 'rung': 'numerics', 'message': 'The first token is missing', 'shows': 'first-token-lost'}
BASE = 'valid_plain'
EDITS = [
    (
        "    while len(tokens) < steps:",
        "    while len(tokens) < steps + 1:",
    ),
    (
        "    return np.stack(tokens, axis=1)",
        "    return np.stack(tokens, axis=1)[:, 1:]",
    ),
]
