"""Does not know that json raises RecursionError."""

EXPECTED = {"loses": ["refused-text", "text"], "rung": "type", "shows": "lets-recursion-through"}
BASE = "valid_plain"
EDITS = [
    (
        """    try:
        header = json.loads(data[8 : 8 + length].decode("utf-8"), object_pairs_hook=once, parse_int=count)
    except RecursionError:
        raise ValueError("nested too deep") from None""",
        '    header = json.loads(data[8 : 8 + length].decode("utf-8"), object_pairs_hook=once, parse_int=count)',
    ),
]
