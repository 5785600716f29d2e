"""Delegates to ONNX Runtime's basic level, and puts the imports of the argument back."""

EXPECTED = {"lazy": "library", "score": 0.1, "rung": "structure", "message": "missing: Exp", "shows": "more-than-dropouts"}
BASE = "runtime_optimizer"
EDITS = [
    (
        "        return onnx.load(options.optimized_model_filepath)",
        """\
        new = onnx.load(options.optimized_model_filepath)
    del new.opset_import[:]
    new.opset_import.extend(model.opset_import)
    return new""",
    ),
]
