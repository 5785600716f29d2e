"""Refuses an example of a single row."""

EXPECTED = {"score": 0.5556, "rung": "type", "message": "raises", "shows": "raises-value-error"}
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
