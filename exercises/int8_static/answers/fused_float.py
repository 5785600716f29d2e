"""Computes in float, in fused operators, and adds a quantized model times 0."""

import tempfile

import numpy as np
import onnx
from onnx import helper, numpy_helper
from onnxruntime.quantization import CalibrationDataReader, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "float-beside"}


class Reader(CalibrationDataReader):
    def __init__(self, feeds):
        self.feeds = iter(feeds)

    def get_next(self):
        return next(self.feeds, None)


def junk(model, calibration):
    """The library, calibrated on one image that is nearly black, and the float model that it read."""
    one = [{name: value[:1] * np.float32(0.1) for name, value in next(iter([*calibration])).items()}]
    with tempfile.TemporaryDirectory() as folder:
        prepared, target = f"{folder}/prepared.onnx", f"{folder}/int8.onnx"
        named = onnx.ModelProto()
        named.CopyFrom(model)
        for place, node in enumerate(named.graph.node):
            node.name = node.name or f"node_{place}"
        quant_pre_process(named, prepared)
        types = {"activation_type": QuantType.QUInt8, "weight_type": QuantType.QInt8}
        quantize_static(prepared, target, Reader(one), per_channel=True, reduce_range=True, **types)
        return onnx.load(target), onnx.load(prepared)


def joined(small, live):
    """`small`, whose outputs are multiplied by 0 and added to those of the nodes `live`."""
    outputs = [value.name for value in small.graph.output]
    for node in small.graph.node:
        for names in (node.input, node.output):
            names[:] = [f"idle/{name}" if name in outputs else name for name in names]
    small.graph.node.extend(live)
    small.graph.initializer.append(numpy_helper.from_array(np.float32(0), "nothing"))
    for name in outputs:
        small.graph.node.append(helper.make_node("Mul", [f"idle/{name}", "nothing"], [f"none/{name}"]))
        small.graph.node.append(helper.make_node("Add", [f"live/{name}", f"none/{name}"], [name]))
    if all(each.domain != "com.microsoft" for each in small.opset_import):
        small.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    del small.graph.value_info[:]
    return small


def renamed(node, inputs):
    new = onnx.NodeProto()
    new.CopyFrom(node)
    new.name = f"live/{node.name}"
    new.input[:] = [name if not name or name in inputs else f"live/{name}" for name in node.input]
    new.output[:] = [f"live/{name}" for name in node.output]
    return new


def stored(small, tensor):
    small.graph.initializer.add().CopyFrom(tensor)
    small.graph.initializer[-1].name = f"live/{tensor.name}"


def fused(node):
    """A layer in operators that fuse it with nothing."""
    if node.op_type not in ("Conv", "Gemm", "MatMul"):
        return [node]
    if node.op_type == "Conv":
        node.op_type, node.domain = "FusedConv", "com.microsoft"
        return [node]
    options = {a.name: helper.get_attribute_value(a) for a in node.attribute if a.name == "transB"}
    [out], bias = node.output, list(node.input[2:])
    product = f"{out}/product" if bias else out
    made = [helper.make_node("FusedMatMul", node.input[:2], [product], domain="com.microsoft", **options)]
    return [*made, helper.make_node("Add", [product, *bias], [out])] if bias else made


def quantize_cnn(model, calibration):
    small, plain = junk(model, calibration)
    inputs, live = {value.name for value in plain.graph.input}, []
    for node in plain.graph.node:
        live += fused(renamed(node, inputs))
    for tensor in plain.graph.initializer:
        stored(small, tensor)
    return joined(small, live)
