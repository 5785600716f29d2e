"""Takes a constant over all axes of the mean for a scale."""

EXPECTED = {"loses": ["axes"], "rung": "structure", "shows": "affine-of-anything"}
BASE = "valid_surgeon"
EDITS = [
    (
        "np.shape(constant(other)) != (x.shape[-1],)",
        "np.shape(constant(other)) not in ((x.shape[-1],), tuple(x.shape[-2:]))",
    ),
]
