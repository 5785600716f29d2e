"""Takes a shape without dimensions for no shape."""

EXPECTED = {"loses": ["no-dimensions", "graphs"], "rung": "structure", "shows": "scalars-missing"}
BASE = "valid_plain"
EDITS = [
    ('if value is None or not value.type.tensor_type.HasField("shape"):', "if value is None or not value.type.tensor_type.shape.dim:"),
]
