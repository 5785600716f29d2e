"""Takes every Dropout for random."""

EXPECTED = {"loses": ["healthy"], "rung": "numerics", "shows": "dropout-means-random"}
BASE = "valid_plain"
EDITS = [
    ("return by_runs(path)", 'return "random-output" if any(node.op_type == "Dropout" for node in model.graph.node) else by_runs(path)'),
]
