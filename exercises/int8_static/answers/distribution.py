"""Ranges by the library's Distribution method, which is made for float8."""

EXPECTED = {"loses": "everything", "rung": "numerics", "shows": "distribution"}
BASE = "valid_entropy"
EDITS = [
    ('options = {"calibrate_method": CalibrationMethod.Entropy}', "method = CalibrationMethod.Distribution"),
    ("**options,", "calibrate_method=method,"),
]
