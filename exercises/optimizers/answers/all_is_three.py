"""Takes the number 3 for the highest level, and for layout too."""

EXPECTED = {"loses": ["all", "files-layout"], "rung": "structure", "shows": "all-is-three"}
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
        """    for number, key in enumerate(LEVELS):
        save_level(path, ort.GraphOptimizationLevel(min(number, 3)).name, directory / f"{key}.onnx")""",
    ),
]
