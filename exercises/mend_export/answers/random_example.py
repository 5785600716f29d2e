"""Makes a new example of random floats."""

EXPECTED = {"loses": ["order"], "rung": "type", "shows": "other-numbers"}
BASE = "valid_walk"
EDITS = [
    (
        "tensor = tensor.index_select(axis, torch.arange(sizes[word]) % tensor.shape[axis])",
        "tensor = torch.randn(*tensor.shape[:axis], sizes[word], *tensor.shape[axis + 1 :])",
    ),
]
