"""Wants every tensor to have bytes."""

EXPECTED = {
    "loses": ["lengths", "text", "strict", "entries", "offsets", "valid", "frugal"],
    "rung": "structure",
    "shows": "refuses-empty-tensors",
}
BASE = "valid_plain"
EDITS = [
    (
        "    return isinstance(values, list) and all(type(value) is int and value >= 0 for value in values)",
        """    return (
        isinstance(values, list)
        and all(type(value) is int and value >= 0 for value in values)
        and (len(values) != 2 or values[0] < values[1] or True)
    )""",
    ),
    (
        'if end - begin != math.prod(entry["shape"]) * SIZES[entry["dtype"]]:',
        'if end <= begin or end - begin != math.prod(entry["shape"]) * SIZES[entry["dtype"]]:',
    ),
]
