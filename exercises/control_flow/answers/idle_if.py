"""Computes both branches, and an If picks the result."""

EXPECTED = {"loses": ["choice", "choice-weights"], "rung": "structure", "shows": "idle-if"}
BASE = "valid_script"
EDITS = [
    (
        "        return self.then_fn(x) if bool(self.predicate(x)) else self.else_fn(x)",
        """        first, second = self.then_fn(x), self.else_fn(x)
        return first if bool(self.predicate(x)) else second""",
    ),
]
