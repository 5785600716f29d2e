"""What a passport is about, and how it becomes JSON. Its schema is the judge's."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping

from nbjudge.contract import WrongType

PAGE = "lab-7-01/line-3-decide#passport"
MODELS = ("fp32.onnx", "fp16.onnx", "int8.onnx")
WEIGHTS = "weights.safetensors"
FILES = (*MODELS, WEIGHTS)
DEPTH = 8

# What `to_json` expects of a passport; a finding recognises a failure by these words.
A_DICT = "a dict"
PLAIN = "a dict of str, int, float, bool, None, lists and dicts with str keys"
FINITE = "a dict whose numbers are finite: JSON has no NaN and no infinity"


def to_json(found: object) -> bytes:
    """The passport as JSON. Raises WrongType, with the place of the first thing that JSON cannot
    hold.
    """
    if not isinstance(found, Mapping):
        raise WrongType(A_DICT, type(found).__name__)
    _refuse(found, "the passport", 0)
    return json.dumps(found).encode()


def _refuse(value: object, place: str, depth: int) -> None:
    if depth > DEPTH:
        raise WrongType(PLAIN, "one that is nested deeper than a passport is")
    if isinstance(value, dict):
        for key, inner in value.items():
            if type(key) is not str:
                raise WrongType(PLAIN, f"a key of type {type(key).__name__} in {place}")
            _refuse(inner, f"{place}[{key!r}]"[:120], depth + 1)
    elif isinstance(value, (list, tuple)):
        for position, inner in enumerate(value):
            _refuse(inner, f"{place}[{position}]", depth + 1)
    elif type(value) not in (str, int, float, bool, type(None)):
        raise WrongType(PLAIN, f"{place} of type {type(value).__name__}")
    elif isinstance(value, float) and not math.isfinite(value):
        raise WrongType(FINITE, f"{place} is {value}")
    elif isinstance(value, int) and abs(value) > 2**63:
        raise WrongType(PLAIN, f"{place} is a number of more than 63 bits")
