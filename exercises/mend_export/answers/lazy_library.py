"""One call of the exporter, with its defaults."""

import torch

EXPECTED = {"score": 0.1, "rung": "contract", "message": "Nothing was declared open", "shows": "static", "lazy": "library"}


def mend(module, arguments, keywords, wanted, limits):
    return torch.onnx.export(module, arguments, kwargs=keywords, verbose=False).model_proto
