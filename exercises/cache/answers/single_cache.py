"""Begins with a cache of float32, whatever the file asks for."""

EXPECTED = {'score': 0.885, 'rung': 'type', 'message': 'Unexpected input data type', 'shows': 'raises-invalid-argument'}
BASE = 'valid_plain'
EDITS = [
    (
        'np.zeros(shape, np.float16 if "float16" in inputs[name].type else np.float32)',
        "np.zeros(shape, np.float32)",
    ),
]
