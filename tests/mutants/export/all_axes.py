"""Opens every axis, also those that the module cannot change."""

import inspect
import warnings
from pathlib import Path

import onnx
import torch

EXPECTED = {"score": 0.5, "rung": "contract", "message": "all axes but the first"}


def export_model(module, example, path):
    arguments = example if isinstance(example, tuple) else (example,)
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
                dynamic_axes={
                    "output": {0: "batch"},
                    **{
                        name: {axis: f"{name}_{axis}" if axis else "batch" for axis in range(tensor.ndim)}
                        for name, tensor in zip(names, arguments, strict=True)
                    },
                },
            )
        onnx.checker.check_model(path, full_check=True)
    except Exception:
        Path(path).unlink(missing_ok=True)
        raise
    finally:
        for each, mode in modes.items():
            each.training = mode
