"""The TorchScript-based exporter, which is deprecated and follows these modules as well."""

import inspect
import warnings
from pathlib import Path

import onnx
import torch

EXPECTED = {"rung": None}


def export_model(module, example, path):
    arguments = example if isinstance(example, tuple) else (example,)
    if len(arguments[0]) == 1:
        arguments = tuple(torch.cat([tensor, tensor]) for tensor in arguments)
    names = list(inspect.signature(module.forward).parameters)
    modes = {each: each.training for each in module.modules()}
    try:
        module.eval()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.onnx.export(
                module,
                arguments,
                path,
                dynamo=False,
                opset_version=18,
                input_names=names,
                output_names=["output"],
                dynamic_axes={name: {0: "batch"} for name in [*names, "output"]},
            )
        onnx.checker.check_model(path, full_check=True)
    except Exception:
        Path(path).unlink(missing_ok=True)
        raise
    finally:
        for each, mode in modes.items():
            each.training = mode
