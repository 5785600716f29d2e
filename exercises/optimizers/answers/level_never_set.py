"""Creates five sessions with the default level."""

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "level-never-set"}
BASE = "valid_plain"
EDITS = [
    ("        options.graph_optimization_level = getattr(ort.GraphOptimizationLevel, LEVELS[key])", ""),
]
