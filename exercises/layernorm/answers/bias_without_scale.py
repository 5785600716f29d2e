"""Takes an Add for the bias although no scale stands before it."""

EXPECTED = {"loses": ["affine"], "rung": "structure", "shows": "affine-of-anything"}
BASE = "valid_ir"
EDITS = [
    (
        """\
        if other is None or np.shape(other) != (x.shape[-1],):
            break
""",
        """\
        if other is None or np.shape(other) != (x.shape[-1],):
            continue
""",
    ),
]
