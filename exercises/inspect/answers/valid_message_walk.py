"""Visits every message of the file, whatever field it stands in."""

import pathlib
from collections import Counter
from math import prod

from google.protobuf.message import Message
from onnx import GraphProto, ModelProto, NodeProto

EXPECTED = {"rung": None}


def messages(message):
    yield message
    for field, value in message.ListFields():
        if field.message_type is not None:
            for child in [value] if isinstance(value, Message) else value:
                yield from messages(child)


def describe(model: ModelProto, directory: pathlib.Path | None = None) -> dict:
    every = list(messages(model))
    names = [("" if m.domain == "ai.onnx" else m.domain, m.op_type) for m in every if isinstance(m, NodeProto)]
    tensors = [tensor for m in every if isinstance(m, GraphProto) for tensor in m.initializer]
    paths = {directory / entry.value for tensor in tensors for entry in tensor.external_data if entry.key == "location"}
    [opset] = [entry.version for entry in model.opset_import if entry.domain in {"", "ai.onnx"}]
    return dict(
        ir_version=model.ir_version,
        opset=opset,
        operators=dict(Counter("::".join(name).removeprefix("::") for name in names)),
        parameters=sum(prod(tensor.dims) for tensor in tensors),
        bytes=model.ByteSize() + sum(len(path.read_bytes()) for path in paths),
    )
