"""Returns None for a name that is not there."""

EXPECTED = {"score": 0.817, "rung": "numerics", "message": "KeyError for a name that no tensor has", "shows": "no-key-is-none"}
BASE = "valid_plain"
EDITS = [
    (
        '    header.pop("__metadata__", None)',
        """    header.pop("__metadata__", None)
    if name not in header:
        return None""",
    ),
]
