"""Sets the level after the session, so that each entry has the level of the one before."""

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "level-set-late"}
BASE = "valid_plain"
EDITS = [
    (
        """    counts = {}
    for key in LEVELS:
        options = ort.SessionOptions()
        options.graph_optimization_level = getattr(ort.GraphOptimizationLevel, LEVELS[key])""",
        """    options, counts = ort.SessionOptions(), {}
    for key, level in LEVELS.items():""",
    ),
    (
        '        ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])',
        """        ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        options.graph_optimization_level = getattr(ort.GraphOptimizationLevel, level)""",
    ),
]
