"""Leaves the options as they are for extended, which some texts call the default."""

EXPECTED = {"loses": ["layout", "all", "files-layout"], "rung": "structure", "shows": "default-is-extended"}
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
        """    for key, level in LEVELS.items():
        save_level(path, "ORT_ENABLE_ALL" if key == "extended" else level, directory / f"{key}.onnx")""",
    ),
]
