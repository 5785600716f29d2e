"""Repeats the example along its first axis, and elsewhere as often as the multiple says."""

EXPECTED = {"loses": ["one"], "rung": "type", "shows": "one-row"}
BASE = "valid_walk"
EDITS = [
    (
        "torch.arange(sizes[word])",
        'torch.arange(sizes[word] if axis == 0 else limits.get(word, {}).get("multiple", 1) * tensor.shape[axis])',
    ),
]
