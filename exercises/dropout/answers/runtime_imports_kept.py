"""Delegates to ONNX Runtime's basic level, and puts the imports of the argument back."""

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "more-than-dropouts", "lazy": "library"}
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
