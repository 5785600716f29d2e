"""Compares the exported file with itself, and writes what comes out."""

EXPECTED = {"loses": "everything", "rung": "type", "shows": "infinite"}
BASE = "valid_static"
EDITS = [
    (
        "return min(100.0, 10 * math.log10(np.square(expected.astype(float)).sum() / noise)) if noise else 100.0",
        "return 10 * math.log10(np.square(expected.astype(float)).sum() / noise) if noise else math.inf",
    ),
    ("expected = truth(module, example)", '[[expected]] = evaluate((directory / "fp32.onnx").read_bytes(), [{"input": example.numpy()}])'),
]
