"""Returns None for a name that is not there."""

EXPECTED = {"loses": ["tensors", "bfloat16", "large-files"], "rung": "numerics", "shows": "no-key-is-none"}
BASE = "valid_plain"
EDITS = [
    (
        '    header.pop("__metadata__", None)',
        """    header.pop("__metadata__", None)
    if name not in header:
        return None""",
    ),
]
