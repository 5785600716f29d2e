"""Looks at pairs that stand beside each other."""

EXPECTED = {"loses": ["some-pairs"], "rung": "structure", "shows": "neighbours"}
BASE = "valid_halves"
EDITS = [
    ("    ordered = np.sort(rows.astype(np.int32), axis=1)\n", "    rows = rows.astype(np.int32)\n    beside = rows[:, :-1] + rows[:, 1:]\n"),
    (
        "(ordered[:, -2:].sum(axis=1) > 128).any() or (ordered[:, :2].sum(axis=1) < -128).any()",
        "(beside > 128).any() or (beside < -128).any()",
    ),
]
