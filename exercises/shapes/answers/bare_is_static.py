"""Takes a declaration without a shape for a scalar's."""

EXPECTED = {"loses": ["no-dimensions"], "rung": "structure", "shows": "bare-is-static"}
BASE = "valid_plain"
EDITS = [
    ('if value is None or not value.type.tensor_type.HasField("shape"):', "if value is None:"),
]
