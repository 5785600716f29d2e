"""onnx-ir: its shape inference pass, its values and uses."""

import onnx_ir as ir
from onnx_ir.passes.common import ShapeInferencePass

EXPECTED = {"rung": None}
FLOATS = (ir.DataType.FLOAT16, ir.DataType.FLOAT, ir.DataType.DOUBLE)


def fuse_matmul_add(model):
    copy = ShapeInferencePass()(ir.from_proto(model)).model
    # What stands in the model already stays as it is.
    outputs = [(value, value.type, value.shape) for value in ir.from_proto(model).graph.outputs]
    for add in list(ir.traversal.RecursiveGraphIterator(copy.graph)):
        if add.op_type == "Add" and not add.domain:
            for position in (1, 0):
                product, bias = add.inputs[position], add.inputs[1 - position]
                if allowed(add, product, bias):
                    fuse(add, product.producer(), bias)
                    break
    for value, (_, kind, shape) in zip(copy.graph.outputs, outputs, strict=True):
        value.type, value.shape = kind, shape
    return ir.to_proto(copy)


def allowed(add, product, bias):
    matmul = product.producer()
    if matmul is None or matmul.op_type != "MatMul" or matmul.domain or matmul.graph is not add.graph:
        return False
    if len(product.uses()) != 1 or product.is_graph_output():
        return False
    a, b, c = (value.shape for value in (*matmul.inputs, bias))
    if a is None or b is None or c is None or bias.dtype not in FLOATS:
        return False
    if a.rank() != 2 or b.rank() != 2 or c.rank() > 2:
        return False
    return all(fits(have, want) for have, want in zip(reversed(c.dims), (b[1], a[0]), strict=False))


def fits(have, want):
    if isinstance(have, int):
        return have in (1, want)
    return have.value is not None and have == want


def fuse(add, matmul, bias):
    gemm = ir.node("Gemm", [*matmul.inputs, bias])
    add.graph.insert_before(add, gemm)
    old, new = add.outputs[0], gemm.outputs[0]
    name, new.type, new.shape = old.name, old.type, old.shape
    old.replace_all_uses_with(new, replace_graph_outputs=True)
    old.name, new.name = None, name
    add.graph.remove([add, matmul], safe=True)
