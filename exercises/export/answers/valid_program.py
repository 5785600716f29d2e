"""Traces with torch.export first, then writes the program in the older file's form and adds the names by hand."""

from pathlib import Path

import onnx
import torch

EXPECTED = {"rung": None}


def export_model(module, example, path):
    Path(path).unlink(missing_ok=True)
    arguments = example if isinstance(example, tuple) else (example,)
    several = tuple(torch.cat([tensor, tensor]) for tensor in arguments)
    rows = torch.export.Dim("rows")
    modes = [(each, each.training) for each in module.modules()]
    try:
        traced = torch.export.export(module.eval(), several, dynamic_shapes=[{0: rows}] * len(several))
    finally:
        for each, mode in modes:
            each.training = mode
    program = torch.onnx.export(traced, several, verbose=False, opset_version=18, output_names=["output"])
    model = program.model_proto
    onnx.checker.check_model(model, full_check=True)
    with open(path, "wb") as file:
        file.write(model.SerializeToString())
