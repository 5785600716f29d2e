"""Begins with a cache of float32, whatever the file asks for."""

EXPECTED = {"loses": ["form-of-the-cache", "together"], "rung": "type", "shows": "other-type"}
BASE = 'valid_plain'
EDITS = [
    (
        'np.zeros(shape, np.float16 if "float16" in inputs[name].type else np.float32)',
        "np.zeros(shape, np.float32)",
    ),
]
