"""Goes through the sets as numbers in binary, with onnx-ir, and removes what nobody reads."""

import onnx
import onnx_ir as ir
from onnx_ir.passes.common import RemoveUnusedNodesPass

from formatlab.quantized import evaluate, sqnr

EXPECTED = {"rung": None}


def keep_float(model, small, feeds, spare):
    [[wanted]] = evaluate(model, [feeds])
    best = None
    for mask in range(64):
        mixed = put_back(model, small, mask)
        if mixed is None or mixed.ByteSize() > small.ByteSize() + spare:
            continue
        [[found]] = evaluate(mixed, [feeds])
        if best is None or sqnr(wanted, found) > best[0]:
            best = sqnr(wanted, found), mixed
    return best[1]


def put_back(model, small, mask):
    """The layers whose bit is set, in float; None where there are fewer layers than bits."""
    floats, mixed = (ir.from_proto(onnx.load_from_string(each.SerializeToString())) for each in (model, small))
    layers = [node for node in floats.graph if node.op_type in ("Conv", "Gemm", "MatMul")]
    if mask >> len(layers):
        return None
    there = {node.name: node for node in mixed.graph}
    added = {}
    for bit, layer in enumerate(layers):
        if mask >> bit & 1:
            for place, value in enumerate(layer.inputs):
                if value.const_value is not None:
                    there[layer.name].replace_input_with(place, once(value, added, mixed.graph))
                else:
                    [rounded] = [there[layer.name].inputs[place]]
                    there[layer.name].replace_input_with(place, rounded.producer().inputs[0].producer().inputs[0])
    RemoveUnusedNodesPass()(mixed)
    return ir.to_proto(mixed)


def once(value, added, graph):
    if value.name not in added:
        new = ir.Value(name=f"as it was: {value.name}", shape=value.shape, type=value.type, const_value=value.const_value)
        graph.register_initializer(new)
        added[value.name] = new
    return added[value.name]
