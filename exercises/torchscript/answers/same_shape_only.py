"""Compares traces on other values, and never on other numbers of rows."""

EXPECTED = {"loses": ["rows", "steps"], "rung": "structure", "shows": "always-trace"}
BASE = "valid_trace_first"
EDITS = [
    (
        "CHANGES = [*map(shifted, (0, 1, -1, 20, -20)), lambda tensor: tensor[:1], lambda tensor: torch.cat([tensor, tensor])]",
        "CHANGES = [*map(shifted, (0, 1, -1, 20, -20))]",
    ),
]
