"""Names the inputs by numbers."""

EXPECTED = {"score": 0.4, "rung": "contract", "message": "keeps the name of its argument", "shows": "renamed"}
BASE = "valid_walk"
EDITS = [
    (
        "verbose=False).model_proto",
        'verbose=False, input_names=[f"input_{place}" for place in range(len(wanted))]).model_proto',
    ),
]
