"""Leaves numpy's integers in the passport."""

EXPECTED = {"loses": "everything", "rung": "type", "shows": "numpy-numbers"}
BASE = "valid_static"
EDITS = [
    ("elements[tensor.dtype.name] += tensor.size", "elements[tensor.dtype.name] += np.prod(tensor.shape, dtype=np.int64)"),
]
