"""Takes every Dropout for random."""

EXPECTED = {"score": 0.9, "rung": "numerics", "message": "A Dropout alone", "shows": "dropout-means-random"}
BASE = "valid_plain"
EDITS = [
    ("return by_runs(path)", 'return "random-output" if any(node.op_type == "Dropout" for node in nodes(model.graph)) else by_runs(path)'),
]
