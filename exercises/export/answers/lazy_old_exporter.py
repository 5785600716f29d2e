"""One call of the older exporter."""

import torch

EXPECTED = {"score": 0.1, "rung": "loads", "message": "which has no such operator", "lazy": "library", "shows": "no-check"}


def export_model(module, example, path):
    torch.onnx.export(module, example, path, dynamo=False)
