"""Names the inputs in the order of wanted."""

EXPECTED = {"loses": ["order"], "rung": "numerics", "shows": "swapped-names"}
BASE = "valid_walk"
EDITS = [
    ("verbose=False).model_proto", "verbose=False, input_names=list(wanted)).model_proto"),
]
