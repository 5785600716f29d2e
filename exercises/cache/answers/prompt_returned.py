"""Returns the prompt with its continuation."""

EXPECTED = {'score': 0.35, 'rung': 'contract', 'message': 'The array holds the new tokens alone', 'shows': 'prompt-returned'}
BASE = 'valid_plain'
EDITS = [
    (
        "    return np.stack(tokens, axis=1)",
        "    return np.concatenate([prompt_ids, np.stack(tokens, axis=1)], axis=1)",
    ),
]
