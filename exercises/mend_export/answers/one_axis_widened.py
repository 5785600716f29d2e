"""Repeats the example along its first axis, and elsewhere as often as the multiple says."""

EXPECTED = {"score": 0.6, "rung": "type", "message": "A size of 1 in the example", "shows": "one-row"}
BASE = "valid_walk"
EDITS = [
    (
        "torch.arange(sizes[word])",
        'torch.arange(sizes[word] if axis == 0 else limits.get(word, {}).get("multiple", 1) * tensor.shape[axis])',
    ),
]
