"""Exports a copy in evaluation mode to memory, and writes the file only when it is known to be right."""

import copy
import inspect
from pathlib import Path

import onnx
import torch

EXPECTED = {"rung": None}


def export_model(module, example, path):
    Path(path).unlink(missing_ok=True)
    arguments = example if isinstance(example, tuple) else (example,)
    if len(arguments[0]) == 1:
        arguments = tuple(torch.cat([tensor, tensor]) for tensor in arguments)
    names = list(inspect.signature(module.forward).parameters)
    program = torch.onnx.export(
        copy.deepcopy(module).eval(),
        arguments,
        verbose=False,
        opset_version=18,
        input_names=names,
        output_names=["output"],
        dynamic_shapes=tuple({0: "rows"} for _ in names),
    )
    model = program.model_proto
    onnx.checker.check_model(model, full_check=True)
    if [entry.version for entry in model.opset_import if not entry.domain] != [18]:
        raise NotImplementedError("the exporter wrote another opset")
    onnx.save(model, path)
