"""Takes the third dimension of a cache for the tokens."""

EXPECTED = {"loses": ["form-of-the-cache", "together"], "rung": "type", "shows": "raises-value-error"}
BASE = 'valid_plain'
EDITS = [
    (
        """        shape = [{"batch": rows}.get(dim, 0) if isinstance(dim, str) else dim for dim in inputs[name].shape]""",
        """        _, heads, _, size = inputs[name].shape
        shape = [rows, heads, 0, size]""",
    ),
]
