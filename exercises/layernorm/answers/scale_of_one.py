"""Takes a list of one number for a scale, too."""

EXPECTED = {"loses": ["affine"], "rung": "structure", "shows": "affine-of-anything"}
BASE = "valid_surgeon"
EDITS = [
    ("np.shape(constant(other)) != (x.shape[-1],)", "np.shape(constant(other)) not in ((x.shape[-1],), (1,))"),
]
