"""Computes each function in an If of its own, whose condition is always true; a Where picks a result."""

EXPECTED = {"loses": ["choice", "choice-weights"], "rung": "structure", "shows": "where"}
BASE = "valid_script"
EDITS = [
    (
        "        return self.then_fn(x) if bool(self.predicate(x)) else self.else_fn(x)",
        """        first, second = x, x
        if bool(x.abs().sum() >= 0):
            first = self.then_fn(x)
        if bool(x.abs().sum() > -1):
            second = self.else_fn(x)
        return torch.where(self.predicate(x), first, second)""",
    ),
]
