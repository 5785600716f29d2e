"""Calls the files after the levels."""

EXPECTED = {"loses": ["files-folded", "files-fused", "files-layout"], "rung": "contract: files", "shows": "other-names"}
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
        ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        counts[key] = count(directory / f"{key}.onnx")""",
        """    for key, level in LEVELS.items():
        save_level(path, level, directory / f"{level}.onnx")
        counts[key] = count(directory / f"{level}.onnx")""",
    ),
]
