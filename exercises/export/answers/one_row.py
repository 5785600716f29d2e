"""Exports with the example as it comes, one row or not, and looks at no axis."""

EXPECTED = {"loses": ["encoder"], "rung": "contract", "shows": "one-row-fixed"}
BASE = "valid_copy"
EDITS = [
    (
        """\
    if len(arguments[0]) == 1:
        arguments = tuple(torch.cat([tensor, tensor]) for tensor in arguments)
""",
        """\
""",
    ),
]
