"""Small deterministic models, and the one way to write a model: `make_model`, `to_bytes`, `save`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from google.protobuf.message import Message
from onnx import FunctionProto, GraphProto, ModelProto, TensorProto, helper

OPSET = 20
# The fields of a tensor that hold its numbers, or say where they lie.
NUMBERS = (
    "raw_data",
    "float_data",
    "int32_data",
    "int64_data",
    "double_data",
    "uint64_data",
    "string_data",
    "external_data",
    "data_location",
)
# ONNX's own default is newer than what ONNX Runtime loads, so it is never left to the library.
IR_VERSION = 10


def make_model(
    graph: GraphProto,
    opset: int = OPSET,
    ir_version: int = IR_VERSION,
    domains: Mapping[str, int] | None = None,
    functions: Iterable[FunctionProto] = (),
) -> ModelProto:
    """A model around `graph` that ONNX Runtime loads: `opset` of the default domain, plus `domains`
    as {domain: version}.
    """
    imports = [
        helper.make_opsetid("", opset),
        *(helper.make_opsetid(name, version) for name, version in (domains or {}).items()),
    ]
    return helper.make_model(
        graph,
        opset_imports=imports,
        ir_version=ir_version,
        functions=list(functions),
        producer_name="formatlab",
    )


def to_bytes(model: ModelProto) -> bytes:
    """The model as bytes that are the same on every machine: no `metadata_props` anywhere
    (exporters write the machine's paths there).

    `model` is not changed. Raises ValueError when a tensor's data lies outside the model.
    """
    clean = ModelProto()
    clean.CopyFrom(model)
    for message in _messages(clean):
        if isinstance(message, TensorProto) and message.data_location == TensorProto.EXTERNAL:
            raise ValueError(
                f"the data of tensor {message.name!r} lies in another file; load the model with its data first"
            )
        if "metadata_props" in message.DESCRIPTOR.fields_by_name:
            message.ClearField("metadata_props")
    return clean.SerializeToString(deterministic=True)


def save(model: ModelProto, path: str | Path) -> None:
    """Write `to_bytes(model)` to `path`. Raises ValueError when a tensor's data lies outside the
    model.
    """
    Path(path).write_bytes(to_bytes(model))


def outline(model: ModelProto, largest: int = 1024) -> ModelProto:
    """The model without the numbers of its tensors of more than `largest` bytes, which keep their
    name, type and shape. It shows the graph of a large model and cannot be run.
    """
    drawn = ModelProto()
    drawn.CopyFrom(model)
    for message in _messages(drawn):
        if isinstance(message, TensorProto) and (
            message.external_data or message.ByteSize() > largest
        ):
            for field in NUMBERS:
                message.ClearField(field)
    return drawn


def _messages(message: Message) -> Iterator[Message]:
    """`message` and every message inside it: nodes, values, functions, the graphs in attributes."""
    yield message
    for field, value in message.ListFields():
        if field.message_type is None:
            continue
        for child in value if field.is_repeated else (value,):
            yield from _messages(child)
