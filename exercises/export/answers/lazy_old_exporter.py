"""One call of the older exporter."""

import torch

EXPECTED = {"loses": "everything", "rung": "contract", "shows": "static", "lazy": "library"}


def export_model(module, example, path):
    torch.onnx.export(module, example, path, dynamo=False)
