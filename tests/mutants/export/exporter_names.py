"""Takes the names that the exporter gives."""

import warnings
from pathlib import Path

import onnx
import torch

EXPECTED = {"score": 0.4, "rung": "contract", "message": "inputs of other names"}


def export_model(module, example, path):
    arguments = example if isinstance(example, tuple) else (example,)
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
                dynamic_axes={},
            )
        onnx.checker.check_model(path, full_check=True)
    except Exception:
        Path(path).unlink(missing_ok=True)
        raise
    finally:
        for each, mode in modes.items():
            each.training = mode
