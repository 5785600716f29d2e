"""Halves every layer."""

EXPECTED = {"loses": ["seven-bits", "one-large", "shared"], "rung": "structure", "shows": "all-layers"}
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
