"""Looks at the largest code alone."""

EXPECTED = {"loses": ["one-large"], "rung": "structure", "shows": "one-weight"}
BASE = "valid_halves"
EDITS = [
    (
        """\
            if codes.dtype == np.int8 and saturates(by_output(node, codes)):
""",
        """\
            if codes.dtype == np.int8 and np.abs(codes.astype(int)).max() > 64:
""",
    ),
]
