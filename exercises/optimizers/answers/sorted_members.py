"""Takes the members in the order of the alphabet, in which ALL comes before BASIC."""

EXPECTED = {"loses": ["fused", "domains", "layout", "all", "files-fused", "files-layout"], "rung": "structure", "shows": "level-set-late"}
BASE = "valid_plain"
EDITS = [
    (
        """
def optimize_levels(path, directory):""",
        """
def save_level(path, level, target):
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.__members__[level]
    options.optimized_model_filepath = str(target)
    ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def optimize_levels(path, directory):""",
    ),
    (
        """    for key in LEVELS:
        options = ort.SessionOptions()
        options.graph_optimization_level = getattr(ort.GraphOptimizationLevel, LEVELS[key])
        options.optimized_model_filepath = str(directory / f"{key}.onnx")
        ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])""",
        """    for key, level in zip(LEVELS, sorted(ort.GraphOptimizationLevel.__members__), strict=True):
        save_level(path, level, directory / f"{key}.onnx")""",
    ),
]
