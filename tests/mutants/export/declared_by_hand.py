"""Exports a static model and writes a name into its shapes."""

import inspect
import warnings
from pathlib import Path

import onnx
import torch

EXPECTED = {"score": 0.4, "rung": "structure", "message": "declared open"}


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
            )
        model = onnx.load(path)
        for value in (*model.graph.input, *model.graph.output):
            value.type.tensor_type.shape.dim[0].dim_param = "batch"
        onnx.save(model, path)
        onnx.checker.check_model(path, full_check=True)
    except Exception:
        Path(path).unlink(missing_ok=True)
        raise
    finally:
        for each, mode in modes.items():
            each.training = mode
