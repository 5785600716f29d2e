"""Puts the same function into both branches."""

EXPECTED = {"loses": ["choice", "choice-weights", "names"], "rung": "numerics", "shows": "one-side-twice"}
BASE = "valid_script"
EDITS = [
    (
        "traced = [torch.jit.trace(function, (example,)) for function in (predicate, then_fn, else_fn)]",
        "traced = [torch.jit.trace(function, (example,)) for function in (predicate, then_fn, then_fn)]",
    ),
]
