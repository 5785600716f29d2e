"""Looks at float16 values alone."""

EXPECTED = {"loses": ["float32"], "rung": "structure", "shows": "half-only"}
BASE = "valid_plain"
EDITS = [
    (
        'not np.isfinite(values[name]).all()]',
        'values[name].dtype == np.float16 and not np.isfinite(values[name]).all()]',
    ),
]
