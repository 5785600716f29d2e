"""Begins with a cache of float64."""

EXPECTED = {'score': 0.25, 'rung': 'type', 'message': 'Unexpected input data type', 'shows': 'raises-invalid-argument'}
BASE = 'valid_plain'
EDITS = [
    (
        'np.zeros(shape, np.float16 if "float16" in inputs[name].type else np.float32)',
        "np.zeros(shape)",
    ),
]
