"""Leaves the weights in a second file, as the default exporter does unless it is told otherwise."""

import inspect
from pathlib import Path

import onnx
import torch

EXPECTED = {"loses": "everything", "rung": "loads", "shows": "external-data"}


def export_model(module, example, path):
    arguments = example if isinstance(example, tuple) else (example,)
    if len(arguments[0]) == 1:
        arguments = tuple(torch.cat([tensor, tensor]) for tensor in arguments)
    names = list(inspect.signature(module.forward).parameters)
    modes = {each: each.training for each in module.modules()}
    try:
        module.eval()
        torch.onnx.export(
            module,
            arguments,
            path,
            verbose=False,
            opset_version=18,
            input_names=names,
            output_names=["output"],
            dynamic_shapes={name: {0: "batch"} for name in names},
        )
        onnx.checker.check_model(path, full_check=True)
    except Exception:
        Path(path).unlink(missing_ok=True)
        Path(f"{path}.data").unlink(missing_ok=True)
        raise
    finally:
        for each, mode in modes.items():
            each.training = mode
