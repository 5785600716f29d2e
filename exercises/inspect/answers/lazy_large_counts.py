"""Counts more of every operator than any model has."""

import onnx

EXPECTED = {"score": 0.0, "rung": "loads", "message": "are near this model's", "lazy": "constant", "shows": "constants"}


def describe(model, directory=None):
    every = {schema.name: 10**9 for schema in onnx.defs.get_all_schemas()}
    return {"ir_version": 0, "opset": 0, "operators": every, "parameters": 0, "bytes": 0}
