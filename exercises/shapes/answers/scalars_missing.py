"""Takes a shape without dimensions for no shape."""

EXPECTED = {"score": 0.819, "rung": "structure", "message": "scalars as missing", "shows": "scalars-missing"}
BASE = "valid_plain"
EDITS = [
    ('if value is None or not value.type.tensor_type.HasField("shape"):', "if value is None or not value.type.tensor_type.shape.dim:"),
]
