"""The exporter with its defaults."""

import torch

EXPECTED = {"score": 0.0, "rung": "", "message": "", "lazy": "library"}


def export_model(module, example, path):
    torch.onnx.export(module, example if isinstance(example, tuple) else (example,), path, verbose=False)
