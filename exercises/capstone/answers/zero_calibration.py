"""Calibrates with rows of zeros."""

EXPECTED = {"loses": ["int8", "block"], "rung": "numerics: int8.onnx", "shows": "zero-calibration"}
BASE = "valid_static"
EDITS = [
    (
        "quantize_static(source, path, Rows(example.numpy()), per_channel=True, **types)",
        "quantize_static(source, path, Rows(np.zeros_like(example.numpy())), per_channel=True, **types)",
    ),
]
