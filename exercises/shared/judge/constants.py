"""The numbers that a Constant node holds, in each of the forms that ONNX has for them."""

from __future__ import annotations

import numpy as np
from onnx import NodeProto, helper, numpy_helper

LISTS = {
    "value_float": np.float32,
    "value_floats": np.float32,
    "value_int": np.int64,
    "value_ints": np.int64,
}


def value_of(constant: NodeProto) -> np.ndarray | None:
    """The numbers of a Constant; None where it holds texts, or is sparse."""
    for attribute in constant.attribute:
        value = helper.get_attribute_value(attribute)
        if attribute.name == "value":
            return numpy_helper.to_array(value)
        if attribute.name in LISTS:
            return np.array(value, LISTS[attribute.name])
    return None
