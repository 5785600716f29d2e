"""Calibrates with rows of zeros."""

EXPECTED = {"score": 0.4, "rung": "numerics", "message": "Calibrate with the example", "shows": "zero-calibration"}
BASE = "valid_static"
EDITS = [
    (
        "quantize_static(source, path, Rows(example.numpy()), per_channel=True, **types)",
        "quantize_static(source, path, Rows(np.zeros_like(example.numpy())), per_channel=True, **types)",
    ),
]
