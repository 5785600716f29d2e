"""Quantizes the export as it is, from a file, and leaves the pre-processing out."""

EXPECTED = {"score": 0.7, "rung": "structure", "message": "a weight that a Constant node holds", "shows": "constant-weights"}
BASE = "valid_no_preprocess"
EDITS = [("onnx.save(with_initializers(model), source)", "onnx.save(model, source)")]
