"""The exporter with its defaults."""

import torch

EXPECTED = {"loses": "everything", "rung": "loads", "shows": "external-data", "lazy": "library"}


def export_model(module, example, path):
    torch.onnx.export(module, example if isinstance(example, tuple) else (example,), path, verbose=False)
