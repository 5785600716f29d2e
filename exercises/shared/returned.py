"""What an answer returned, as the bytes that go to the judge."""

from __future__ import annotations

from google.protobuf.message import EncodeError
from onnx import ModelProto

from nbjudge.contract import WrongType


def model(result: object) -> bytes:
    """The file of a returned model. Raises WrongType for anything that is none."""
    if not isinstance(result, ModelProto):
        raise WrongType("an onnx.ModelProto", type(result).__name__)
    try:
        return result.SerializeToString(deterministic=True)
    except (EncodeError, ValueError, MemoryError):
        raise WrongType(
            "an onnx.ModelProto of less than 2 GB", "one that protobuf cannot serialise"
        ) from None
