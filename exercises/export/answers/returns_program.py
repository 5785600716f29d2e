"""Writes nothing, and returns what the exporter gives."""

import copy

import torch

EXPECTED = {"loses": "everything", "rung": "type", "shows": "returns-program"}


def export_model(module, example, path):
    arguments = example if isinstance(example, tuple) else (example,)
    if len(arguments[0]) == 1:
        arguments = tuple(torch.cat([tensor, tensor]) for tensor in arguments)
    return torch.onnx.export(copy.deepcopy(module).eval(), arguments, verbose=False, opset_version=18)
