"""Asks for the share of right rows in each run."""

EXPECTED = {"loses": ["healthy"], "rung": "numerics", "shows": "share-of-all-rows"}
BASE = "valid_plain"
EDITS = [
    (
        "            right.extend(np.ravel(first[0].argmax(-1) == run.labels))",
        "            right.append(np.mean(first[0].argmax(-1) == run.labels))",
    ),
    ("np.mean(right) >=", "min(right) >="),
]
