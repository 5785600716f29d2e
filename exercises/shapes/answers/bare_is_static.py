"""Takes a declaration without a shape for a scalar's."""

EXPECTED = {"score": 0.6, "rung": "structure", "message": "declarations without a shape as static", "shows": "bare-is-static"}
BASE = "valid_plain"
EDITS = [
    ('if value is None or not value.type.tensor_type.HasField("shape"):', "if value is None:"),
]
