"""One export under three names, and a passport without entries."""

import shutil

import torch

EXPECTED = {"score": 0.1, "rung": "structure", "message": "and no entry in the passport", "lazy": "library", "shows": "no-int8"}


def convert(module, example, budget, directory):
    rows = {"input": {0: "batch"}, "output": {0: "batch"}}
    names = {"input_names": ["input"], "output_names": ["output"]}
    torch.onnx.export(
        module, (example,), directory / "fp32.onnx", dynamo=False, dynamic_axes=rows, **names
    )
    for name in ("fp16.onnx", "int8.onnx"):
        shutil.copy(directory / "fp32.onnx", directory / name)
    return {"artefacts": [], "budget": budget, "chosen": None, "met": False}
