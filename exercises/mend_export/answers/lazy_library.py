"""One call of the exporter, with its defaults."""

import torch

EXPECTED = {"loses": "everything", "rung": "contract", "shows": "static", "lazy": "library"}


def mend(module, arguments, keywords, wanted, limits):
    return torch.onnx.export(module, arguments, kwargs=keywords, verbose=False).model_proto
