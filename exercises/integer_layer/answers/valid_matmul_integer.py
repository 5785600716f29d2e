"""Lets ONNX Runtime's MatMulInteger compute the sum."""

import numpy as np
import onnxruntime as ort
from onnx import TensorProto, helper

EXPECTED = {"rung": None}


def integer_linear(x, x_scale, x_zero, w, w_scale, w_zero, bias, y_scale, y_zero):
    unit = x_scale * w_scale
    total = product(x, w, x_zero, w_zero) + np.rint(bias / unit).astype(np.int64)
    codes = np.rint(total.astype(np.float32) * (unit / y_scale)) + np.float32(y_zero)
    limits = np.iinfo(y_zero.dtype)
    return np.clip(codes, limits.min, limits.max).astype(y_zero.dtype)


def product(x, w, x_zero, w_zero):
    """MatMulInteger takes a signed first factor where the second one is signed, too."""
    arrays = {"x": x, "w": w, "x_zero": np.array(x_zero, x.dtype), "w_zero": w_zero}
    types = {name: helper.np_dtype_to_tensor_dtype(array.dtype) for name, array in arrays.items()}
    inputs = [helper.make_tensor_value_info(name, types[name], array.shape) for name, array in arrays.items()]
    output = helper.make_tensor_value_info("total", TensorProto.INT32, (len(x), w.shape[1]))
    node = helper.make_node("MatMulInteger", list(arrays), ["total"])
    graph = helper.make_graph([node], "product", inputs, [output])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, arrays)[0]
