"""Switches off each Dropout, and nothing else; a single row is doubled, because BatchNorm asks for several."""

import copy
import inspect
import warnings
from pathlib import Path

import onnx
import torch

EXPECTED = {"score": 0.5, "rung": "structure", "message": "Dropout was switched off alone"}


def export_model(module, example, path):
    arguments = example if isinstance(example, tuple) else (example,)
    arguments = tuple(tensor.repeat(2, *[1] * (tensor.ndim - 1)) for tensor in arguments)
    module = copy.deepcopy(module)
    names = list(inspect.signature(module.forward).parameters)
    modes = {each: each.training for each in module.modules()}
    try:
        for each in module.modules():
            if isinstance(each, torch.nn.Dropout):
                each.eval()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.onnx.export(
                module,
                arguments,
                path,
                dynamo=False,
                opset_version=18,
                training=torch.onnx.TrainingMode.PRESERVE,
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
