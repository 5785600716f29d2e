"""Mends every Conv and Gemm, and no MatMul."""

EXPECTED = {
    "loses": ["saturating", "one-large", "some-pairs", "shared", "spelling", "ties", "bias-scale", "argument"],
    "rung": "structure",
    "shows": "some-layers",
}
BASE = "valid_halves"
EDITS = [('in ("Conv", "Gemm", "MatMul")', 'in ("Conv", "Gemm")')]
