"""Creates five sessions with the default level."""

EXPECTED = {"score": 0.3, "rung": "structure", "message": "the same operators as at every other level", "shows": "level-never-set"}
BASE = "valid_plain"
EDITS = [
    ("        options.graph_optimization_level = getattr(ort.GraphOptimizationLevel, LEVELS[key])", ""),
]
