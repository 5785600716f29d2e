"""Returns an array of one element where there are no dimensions."""

EXPECTED = {"loses": ["dtypes"], "rung": "numerics", "shows": "vectors-for-scalars"}
BASE = "valid_plain"
EDITS = [
    (
        'return numbers(raw, header[name]["dtype"]).reshape(header[name]["shape"])',
        'return numbers(raw, header[name]["dtype"]).reshape(header[name]["shape"] or [-1])',
    ),
]
