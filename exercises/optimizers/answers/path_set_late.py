"""Names the file after the session was created, and finds none."""

EXPECTED = {"loses": "everything", "rung": "type", "shows": "raises-file-not-found-error"}
BASE = "valid_plain"
EDITS = [
    ("for key in LEVELS:", "for key, level in LEVELS.items():"),
    (
        "        options.graph_optimization_level = getattr(ort.GraphOptimizationLevel, LEVELS[key])",
        """        options.graph_optimization_level = getattr(ort.GraphOptimizationLevel, level)
        ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])""",
    ),
    (
        """        options.optimized_model_filepath = str(directory / f"{key}.onnx")
        ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])""",
        '        options.optimized_model_filepath = str(directory / f"{key}.onnx")',
    ),
]
