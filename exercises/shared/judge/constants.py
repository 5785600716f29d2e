"""The numbers that a tensor or a Constant node holds, in each of the forms that ONNX has for them."""

from __future__ import annotations

import numpy as np
from onnx import NodeProto, TensorProto, helper, numpy_helper

LISTS = {
    "value_float": np.float32,
    "value_floats": np.float32,
    "value_int": np.int64,
    "value_ints": np.int64,
}


def numbers_of(tensor: TensorProto) -> np.ndarray | None:
    """The numbers of a tensor; None where it holds texts, which may be any bytes: to_array would
    decode them.
    """
    return None if tensor.data_type == TensorProto.STRING else numpy_helper.to_array(tensor)


def value_of(constant: NodeProto) -> np.ndarray | None:
    """The numbers of a Constant; None where it holds texts, or is sparse."""
    for attribute in constant.attribute:
        value = helper.get_attribute_value(attribute)
        if attribute.name == "value":
            return numbers_of(value)
        if attribute.name in LISTS:
            return np.array(value, LISTS[attribute.name])
    return None
