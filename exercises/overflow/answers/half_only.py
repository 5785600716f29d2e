"""Looks at float16 values alone."""

EXPECTED = {'score': 0.775, 'rung': 'structure', 'message': 'A float32 value can be infinite', 'shows': 'half-only'}
BASE = "valid_plain"
EDITS = [
    (
        'not np.isfinite(values[name]).all()]',
        'values[name].dtype == np.float16 and not np.isfinite(values[name]).all()]',
    ),
]
