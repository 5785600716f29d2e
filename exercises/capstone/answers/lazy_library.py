"""One export with the exporter's defaults, and a passport of one line."""

import torch

EXPECTED = {"score": 0.0, "rung": "type", "message": "The key is missing, or holds another type", "lazy": "library", "shows": "no-imports"}


def convert(module, example, budget, directory):
    torch.onnx.export(module, (example,), directory / "model.onnx", verbose=False)
    return {"artefacts": [{"file": "model.onnx"}], "budget": budget, "chosen": "model.onnx", "met": True}
