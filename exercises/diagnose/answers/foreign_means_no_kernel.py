"""Takes every operator of an unknown domain for one without a kernel."""

EXPECTED = {"score": 0.91, "rung": "loads", "message": "model.functions", "shows": "foreign-means-no-kernel"}
BASE = "valid_plain"
EDITS = [
    ("return by_runs(path)", 'return "no-kernel" if any(node.domain for node in nodes(model.graph)) else by_runs(path)'),
]
