"""Gives a count for every operator of any level, zeros and floats among them."""

EXPECTED = {"loses": ["ints"], "rung": "quality", "shows": "float-counts"}
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
        save_level(path, level, directory / f"{key}.onnx")""",
    ),
    (
        "    return counts",
        """    names = {name for found in counts.values() for name in found}
    return {key: {name: float(found.get(name, 0)) for name in names} for key, found in counts.items()}""",
    ),
]
