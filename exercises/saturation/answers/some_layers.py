"""Mends the convolutions alone."""

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "some-layers"}
BASE = "valid_halves"
EDITS = [
    (
        'in ("Conv", "Gemm", "MatMul")',
        '== "Conv"',
    ),
]
