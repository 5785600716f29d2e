"""Looks for infinities alone."""

EXPECTED = {"loses": ["nan"], "rung": "structure", "shows": "nan-forgotten"}
BASE = "valid_plain"
EDITS = [
    (
        'all(np.isfinite(values[name]).all() for name',
        'all(not np.isinf(values[name]).any() for name',
    ),
    (
        'found += [name for name in node.output if not np.isfinite(values[name]).all()]',
        'found += [name for name in node.output if np.isinf(values[name]).any()]',
    ),
]
