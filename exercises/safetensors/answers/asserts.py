"""Checks with assert."""

EXPECTED = {"loses": ["strict", "entries", "offsets"], "rung": "structure", "shows": "asserts"}
BASE = "valid_plain"
EDITS = [
    (
        """    if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "data_offsets"}:
        raise ValueError("an entry has three fields")
    if not isinstance(entry["dtype"], str) or entry["dtype"] not in SIZES:
        raise ValueError("no such dtype")
    if not is_counts(entry["shape"]) or not is_counts(entry["data_offsets"]) or len(entry["data_offsets"]) != 2:
        raise ValueError("shape and offsets are lists of numbers")""",
        """    assert isinstance(entry, dict) and set(entry) == {"dtype", "shape", "data_offsets"}
    assert isinstance(entry["dtype"], str) and entry["dtype"] in SIZES
    assert is_counts(entry["shape"]) and is_counts(entry["data_offsets"]) and len(entry["data_offsets"]) == 2""",
    ),
    (
        """    if end - begin != math.prod(entry["shape"]) * SIZES[entry["dtype"]]:
        raise ValueError("shape and offsets differ")""",
        '    assert end - begin == math.prod(entry["shape"]) * SIZES[entry["dtype"]]',
    ),
]
