"""Does not look at the type of the weights."""

EXPECTED = {"score": 0.6, "rung": "structure", "message": "Only int8 weights", "shows": "unsigned-too"}
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
