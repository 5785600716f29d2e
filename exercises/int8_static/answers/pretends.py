"""Lets Q and DQ stand around float weights: the arithmetic of 8 bits, in a file of 32."""

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "pretends"}
BASE = "valid_entropy"
EDITS = [
    ('options = {"calibrate_method": CalibrationMethod.Entropy}', 'options = {"AddQDQPairToWeight": True}'),
    ("**options,", "extra_options=options,"),
]
