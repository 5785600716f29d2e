"""The argument, copied."""

EXPECTED = {"score": 0.1, "rung": "structure", "message": "is 64770", "shows": "unchanged", "lazy": "argument"}
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
