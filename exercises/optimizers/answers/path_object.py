"""Gives the options a pathlib.Path."""

EXPECTED = {"loses": "everything", "rung": "type", "shows": "raises-type-error"}
BASE = "valid_plain"
EDITS = [
    (
        """\
    for key in LEVELS:
""",
        """\
    for key, level in LEVELS.items():
""",
    ),
    (
        """\
        options.graph_optimization_level = getattr(ort.GraphOptimizationLevel, LEVELS[key])
        options.optimized_model_filepath = str(directory / f"{key}.onnx")
""",
        """\
        options.graph_optimization_level = getattr(ort.GraphOptimizationLevel, level)
        options.optimized_model_filepath = directory / f"{key}.onnx"
""",
    ),
]
