"""Lets the branches change places."""

EXPECTED = {"loses": ["choice", "choice-weights", "names"], "rung": "numerics", "shows": "other-side"}
BASE = "valid_script"
EDITS = [
    (
        "traced = [torch.jit.trace(function, (example,)) for function in (predicate, then_fn, else_fn)]",
        "traced = [torch.jit.trace(function, (example,)) for function in (predicate, else_fn, then_fn)]",
    ),
]
