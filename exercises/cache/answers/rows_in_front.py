"""Takes the first dimension of a cache for its rows."""

EXPECTED = {"loses": ["form-of-the-cache"], "rung": "type", "shows": "other-cache"}
BASE = "valid_plain"
EDITS = [
    (
        'shape = [{"batch": rows}.get(dim, 0) if isinstance(dim, str) else dim for dim in inputs[name].shape]',
        "shape = [rows, *(0 if isinstance(dim, str) else dim for dim in inputs[name].shape[1:])]",
    ),
]
