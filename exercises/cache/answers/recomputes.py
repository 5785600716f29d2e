"""Feeds the whole text for each token, with an empty cache."""

EXPECTED = {
    "loses": ["one-at-a-time", "positions-and-mask", "form-of-the-cache", "together", "once"],
    "rung": "type",
    "shows": "many-at-once",
}
BASE = 'valid_plain'
EDITS = [
    (
        """    while held < length:
        logits, cache = call(prompt_ids[:, held : held + width], cache, held)
        held += width
    tokens = [logits[:, -1].argmax(-1)]""",
        "    text, tokens = prompt_ids, []",
    ),
    (
        """        newest = tokens[-1][:, None]
        logits, cache = call(newest, cache, held)
        held += 1
""",
        """        logits, _ = call(text, cache, 0)
""",
    ),
    (
        "        tokens.append(logits[:, -1].argmax(-1))",
        """        tokens.append(logits[:, -1].argmax(-1))
        text = np.concatenate([text, tokens[-1][:, None]], axis=1)""",
    ),
]
