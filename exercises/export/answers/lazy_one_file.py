"""One call of the default exporter, in evaluation mode and into one file."""

import torch

EXPECTED = {"loses": "everything", "rung": "contract", "shows": "static", "lazy": "library"}


def export_model(module, example, path):
    torch.onnx.export(module.eval(), example, path, external_data=False, verbose=False)
