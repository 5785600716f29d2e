"""Puts back convolutions and Gemms alone."""

EXPECTED = {"loses": ["two-layers"], "rung": "numerics", "shows": "only-one"}
BASE = "valid_sets"
EDITS = [('LAYERS = ("Conv", "Gemm", "MatMul")', 'LAYERS = ("Conv", "Gemm")')]
