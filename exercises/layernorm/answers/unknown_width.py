"""Takes a width that is not known for that of the scale."""

EXPECTED = {"loses": ["affine"], "rung": "structure", "shows": "affine-of-anything"}
BASE = "valid_ir"
EDITS = [
    ('np.shape(other) != (x.shape[-1],)', 'np.ndim(other) != 1 or (isinstance(x.shape[-1], int) and np.size(other) != x.shape[-1])'),
]
