"""Computes in float with weights of 8 bits, in fused operators, and adds a quantized model times 0."""

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "weights-only"}
BASE = "fused_float"
EDITS = [
    (
        '''\
    inputs, live = {value.name for value in plain.graph.input}, []
    for node in plain.graph.node:
        live += fused(renamed(node, inputs))
    for tensor in plain.graph.initializer:
        stored(small, tensor)''',
        '''\
    quantized = {node.name: node for node in small.graph.node}
    inputs, live, shared = {value.name for value in plain.graph.input}, [], set()
    for node in plain.graph.node:
        new = renamed(node, inputs)
        if node.op_type in ("Conv", "Gemm", "MatMul"):
            new.input[1] = quantized[node.name].input[1]
            shared.add(node.input[1])
        live += fused(new)
    for tensor in plain.graph.initializer:
        if tensor.name not in shared:
            stored(small, tensor)''',
    ),
]
