"""Looks one level deep into dicts and lists."""

EXPECTED = {"loses": ["nested"], "rung": "type", "shows": "raises-key-error"}
BASE = "valid_walk"
EDITS = [
    (
        '            return type(value)(walk(change, each, f"{path}_{place}") for place, each in enumerate(value))',
        '            return type(value)(change(each, wanted[f"{path}_{place}"]) for place, each in enumerate(value))',
    ),
]
