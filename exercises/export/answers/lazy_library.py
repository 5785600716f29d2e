"""The exporter with its defaults."""

import torch

EXPECTED = {
    "score": 0.0,
    "rung": "type",
    "message": "A BatchNorm in training mode takes its statistics from the batch",
    "lazy": "library",
    "shows": "in-training-mode",
}


def export_model(module, example, path):
    torch.onnx.export(module, example if isinstance(example, tuple) else (example,), path, verbose=False)
