"""Takes every operator of an unknown domain for one without a kernel."""

EXPECTED = {"loses": ["healthy"], "rung": "loads", "shows": "foreign-means-no-kernel"}
BASE = "valid_plain"
EDITS = [
    ("return by_runs(path)", 'return "no-kernel" if any(node.domain for node in model.graph.node) else by_runs(path)'),
]
