"""Refuses an example of a single row."""

EXPECTED = {"loses": ["one-row", "encoder", "names"], "rung": "type", "shows": "raises-value-error"}
BASE = "valid_torchscript"
EDITS = [
    (
        "    arguments = example if isinstance(example, tuple) else (example,)",
        """\
    arguments = example if isinstance(example, tuple) else (example,)
    if len(arguments[0]) < 2:
        raise ValueError("an example of one row fixes the axis")""",
    ),
]
