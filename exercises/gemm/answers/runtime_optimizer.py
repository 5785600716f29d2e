"""Delegates to ONNX Runtime's basic level and reads back what it saves."""

EXPECTED = {"loses": "everything", "rung": "loads", "shows": "saved-by-a-runtime", "lazy": "library"}
BASE = "dropout/runtime_optimizer"
EDITS = [("def remove_dropout", "def fuse_matmul_add")]
