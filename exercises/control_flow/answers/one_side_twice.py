"""Puts the same function into both branches."""

EXPECTED = {"score": 0.55, "rung": "numerics", "message": "wrong where it says False", "shows": "one-side-twice"}
BASE = "valid_script"
EDITS = [
    (
        "traced = [torch.jit.trace(function, (example,)) for function in (predicate, then_fn, else_fn)]",
        "traced = [torch.jit.trace(function, (example,)) for function in (predicate, then_fn, then_fn)]",
    ),
]
