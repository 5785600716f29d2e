"""Takes the variance of any centred value."""

EXPECTED = {"loses": ["relatives"], "rung": "structure", "shows": "takes-a-relative"}
BASE = "valid_surgeon"
EDITS = [
    ("square.inputs[0] is not div.inputs[0]", 'writer(square.inputs[0], "Sub") is None'),
    ("square.inputs[1] is not div.inputs[0]", "square.inputs[1] is not square.inputs[0]"),
]
