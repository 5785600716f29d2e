"""Mends the convolutions alone."""

EXPECTED = {"score": 0.1, "rung": "structure", "message": "or at the Convs", "shows": "some-layers"}
BASE = "valid_halves"
EDITS = [
    (
        'in ("Conv", "Gemm", "MatMul")',
        '== "Conv"',
    ),
]
