"""Counts by op_type alone."""

EXPECTED = {"loses": ["fused", "domains", "layout"], "rung": "structure", "shows": "loses-domain"}
BASE = "valid_plain"
EDITS = [
    (
        """def count(path):
    return dict(Counter(operators(onnx.load(path).graph)))""",
        """def save_level(path, level, target):
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.__members__[level]
    options.optimized_model_filepath = str(target)
    ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])""",
    ),
    (
        """    for key in LEVELS:
        options = ort.SessionOptions()
        options.graph_optimization_level = getattr(ort.GraphOptimizationLevel, LEVELS[key])
        options.optimized_model_filepath = str(directory / f"{key}.onnx")
        ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        counts[key] = count(directory / f"{key}.onnx")""",
        """    for key, level in LEVELS.items():
        save_level(path, level, directory / f"{key}.onnx")
        counts[key] = dict(Counter(name.split("::")[-1] for name in operators(onnx.load(directory / f"{key}.onnx").graph)))""",
    ),
]
