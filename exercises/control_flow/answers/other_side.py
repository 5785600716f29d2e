"""Lets the branches change places."""

EXPECTED = {"score": 0.55, "rung": "numerics", "message": "wrong on both sides", "shows": "other-side"}
BASE = "valid_script"
EDITS = [
    (
        "traced = [torch.jit.trace(function, (example,)) for function in (predicate, then_fn, else_fn)]",
        "traced = [torch.jit.trace(function, (example,)) for function in (predicate, else_fn, then_fn)]",
    ),
]
