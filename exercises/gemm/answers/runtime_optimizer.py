"""Delegates to ONNX Runtime's basic level and reads back what it saves."""

EXPECTED = {"lazy": "library", "score": 0.1, "rung": "loads", "message": "more domains", "shows": "saved-by-a-runtime"}
BASE = "dropout/runtime_optimizer"
EDITS = [("def remove_dropout", "def fuse_matmul_add")]
