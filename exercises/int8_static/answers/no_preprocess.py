"""Quantizes the export as it is, from a file, and leaves the pre-processing out."""

EXPECTED = {"loses": ["constant-nodes"], "rung": "structure", "shows": "constant-weights"}
BASE = "valid_no_preprocess"
EDITS = [("onnx.save(with_initializers(model), source)", "onnx.save(model, source)")]
