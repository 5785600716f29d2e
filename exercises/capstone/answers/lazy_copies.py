"""One export under three names, and a passport without entries."""

import shutil

import torch

EXPECTED = {
    "loses": ["fp16", "int8", "block", "weights", "hash-and-size", "entries", "sqnr", "choice", "impossible", "module"],
    "rung": "numerics: fp16.onnx",
    "shows": "renamed-copy",
    "lazy": "library",
    "keeps": {"fp32": "one export is what this file asks for"},
}


def convert(module, example, budget, directory):
    rows = {"input": {0: "batch"}, "output": {0: "batch"}}
    names = {"input_names": ["input"], "output_names": ["output"]}
    torch.onnx.export(
        module, (example,), directory / "fp32.onnx", dynamo=False, dynamic_axes=rows, **names
    )
    for name in ("fp16.onnx", "int8.onnx"):
        shutil.copy(directory / "fp32.onnx", directory / name)
    return {"artefacts": [], "budget": budget, "chosen": None, "met": False}
