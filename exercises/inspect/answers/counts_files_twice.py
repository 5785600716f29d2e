"""Adds an external file once for each tensor in it."""

EXPECTED = {"loses": ["external", "argument"], "rung": "numerics", "shows": "counts-files-twice"}
BASE = "valid_plain"
EDITS = [
    (
        'files = {entry.value for tensor in external for entry in tensor.external_data if entry.key == "location"}',
        'files = [entry.value for tensor in external for entry in tensor.external_data if entry.key == "location"]',
    ),
]
