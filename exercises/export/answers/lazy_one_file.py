"""One call of the default exporter, in evaluation mode and into one file."""

import torch

EXPECTED = {"score": 0.1, "rung": "type", "message": "leaves an older file", "lazy": "library", "shows": "older-file-stays"}


def export_model(module, example, path):
    torch.onnx.export(module.eval(), example, path, external_data=False, verbose=False)
