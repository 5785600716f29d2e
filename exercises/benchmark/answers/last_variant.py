"""Binds the loop's variable late, so that one variant stands for all."""

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "last-variant"}
BASE = "valid_windows"
EDITS = [
    (
        '        raise ValueError("nothing to measure")',
        """\
        raise ValueError("nothing to measure")
    given = variants
    variants = {key: lambda: given[key]() for key in given}  # noqa: B023""",
    ),
]
