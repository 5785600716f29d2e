"""Computes both functions in either branch of an If."""

EXPECTED = {"loses": ["choice", "choice-weights"], "rung": "structure", "shows": "where-in-if"}
BASE = "valid_script"
EDITS = [
    (
        "    traced = [torch.jit.trace(function, (example,)) for function in (predicate, then_fn, else_fn)]",
        """    def either(x):
        return torch.where(predicate(x), then_fn(x), else_fn(x))

    traced = [torch.jit.trace(function, (example,)) for function in (predicate, either, either)]""",
    ),
]
