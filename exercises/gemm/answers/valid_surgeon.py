"""onnx-graphsurgeon, with the shapes that inference wrote into its tensors."""

import onnx
import onnx_graphsurgeon as gs

EXPECTED = {"rung": None}


def fuse_matmul_add(model):
    root = gs.import_onnx(onnx.shape_inference.infer_shapes(model))
    shapes = [(tensor.shape, tensor.dtype) for tensor in gs.import_onnx(model).outputs]
    graphs = everything(root)
    for graph in graphs:
        for add in [node for node in graph.nodes if node.op == "Add" and not node.domain]:
            for product, bias in (add.inputs, add.inputs[::-1]):
                matmul = next((node for node in graph.nodes if node.op == "MatMul" and not node.domain and product in node.outputs), None)
                if matmul and allowed(graphs, matmul, product, bias):
                    fuse(graph, matmul, add, bias)
                    break
    for tensor, (shape, dtype) in zip(root.outputs, shapes, strict=True):
        tensor.shape, tensor.dtype = shape, dtype
    return gs.export_onnx(root.cleanup(recurse_subgraphs=True))


def everything(graph):
    found = [graph]
    for node in graph.nodes:
        for value in node.attrs.values():
            if isinstance(value, gs.Graph):
                found += everything(value)
    return found


def allowed(graphs, matmul, product, bias):
    if sum(tensor is product for graph in graphs for node in graph.nodes for tensor in node.inputs) != 1:
        return False
    if any(tensor is product for graph in graphs for tensor in graph.outputs):
        return False
    (a, b), c = (tensor.shape for tensor in matmul.inputs), bias.shape
    if a is None or b is None or c is None or len(a) != 2 or len(b) != 2 or len(c) > 2:
        return False
    if str(bias.dtype) not in ("float16", "float32", "float64"):
        return False
    return all(have == 1 or (have is not None and have == want) for have, want in zip(list(c)[::-1], (b[1], a[0]), strict=False))


def fuse(graph, matmul, add, bias):
    gemm = gs.Node("Gemm", inputs=[*matmul.inputs, bias], outputs=list(add.outputs))
    graph.nodes[graph.nodes.index(add)] = gemm
    add.inputs.clear()
    add.outputs.clear()
    matmul.inputs.clear()
    matmul.outputs.clear()
    graph.nodes.remove(matmul)
