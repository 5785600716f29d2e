"""Names the inputs by numbers."""

EXPECTED = {"loses": ["names", "order"], "rung": "contract: the names", "shows": "renamed"}
BASE = "valid_walk"
EDITS = [
    (
        "verbose=False).model_proto",
        'verbose=False, input_names=[f"input_{place}" for place in range(len(wanted))]).model_proto',
    ),
]
