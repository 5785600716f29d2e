"""Lets a dict keep the last of two equal names."""

EXPECTED = {"loses": ["strict", "entries"], "rung": "structure", "shows": "last-key-wins"}
BASE = "valid_plain"
EDITS = [
    (
        """def once(pairs):
    if len({key for key, _ in pairs}) < len(pairs):
        raise ValueError("a key stands twice")
    return dict(pairs)

""",
        "",
    ),
    (
        'header = json.loads(data[8 : 8 + length].decode("utf-8"), object_pairs_hook=once, parse_int=count)',
        'header = json.loads(data[8 : 8 + length].decode("utf-8"))',
    ),
]
