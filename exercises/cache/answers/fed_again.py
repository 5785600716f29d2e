"""Feeds the whole text for each token where the file takes it."""

EXPECTED = {"loses": ["together", "once"], "rung": "quality", "shows": "fed-again"}
BASE = 'valid_plain'
EDITS = [
    (
        """    held = 0
""",
        """    held, empty = 0, cache
""",
    ),
    (
        """        newest = tokens[-1][:, None]
        logits, cache = call(newest, cache, held)
""",
        """        newest = tokens[-1][:, None]
        if width == 1:
            logits, cache = call(newest, cache, held)
        else:
            text = np.concatenate([prompt_ids, np.stack(tokens, axis=1)], axis=1)
            logits, cache = call(text, empty, 0)
""",
    ),
]
