"""The argument, copied."""

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "unchanged", "lazy": "argument"}
BASE = "valid_halves"
EDITS = [
    (
        """\
            if codes.dtype == np.int8 and saturates(by_output(node, codes)):
""",
        """\
            if False:
""",
    ),
]
