"""Takes a value for finite if any of its numbers is."""

EXPECTED = {"loses": ["one-number"], "rung": "structure", "shows": "all-of-it"}
BASE = "valid_plain"
EDITS = [
    (
        'all(np.isfinite(values[name]).all() for name',
        'all(np.isfinite(values[name]).any() for name',
    ),
    (
        'found += [name for name in node.output if not np.isfinite(values[name]).all()]',
        'found += [name for name in node.output if not np.isfinite(values[name]).any()]',
    ),
]
