"""Halves every layer."""

EXPECTED = {"score": 0.6, "rung": "structure", "message": "keeps all of its bits", "shows": "all-layers"}
BASE = "valid_halves"
EDITS = [
    (
        """\
            if codes.dtype == np.int8 and saturates(by_output(node, codes)):
""",
        """\
            if codes.dtype == np.int8:
""",
    ),
]
