"""Does not look at the type of the weights."""

EXPECTED = {"loses": ["unsigned"], "rung": "structure", "shows": "unsigned-too"}
BASE = "valid_halves"
EDITS = [
    (
        """\
            if codes.dtype == np.int8 and saturates(by_output(node, codes)):
""",
        """\
            if saturates(by_output(node, codes)):
""",
    ),
]
