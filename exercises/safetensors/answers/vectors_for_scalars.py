"""Returns an array of one element where there are no dimensions."""

EXPECTED = {"score": 0.817, "rung": "numerics", "message": "an array of another shape", "shows": "vectors-for-scalars"}
BASE = "valid_plain"
EDITS = [
    (
        'return numbers(raw, header[name]["dtype"]).reshape(header[name]["shape"])',
        'return numbers(raw, header[name]["dtype"]).reshape(header[name]["shape"] or [-1])',
    ),
]
