"""Takes the initializer for the second factor, wherever it stands."""

EXPECTED = {"loses": ["operands"], "rung": "loads", "shows": "factors-exchanged"}
BASE = "valid_proto"
EDITS = [
    (
        '            graph.node.insert(position, helper.make_node("Gemm", [*matmul.input, bias], add.output))',
        """\
            stored = {tensor.name for tensor in graph.initializer}
            factors = sorted(matmul.input, key=stored.__contains__)
            graph.node.insert(position, helper.make_node("Gemm", [*factors, bias], add.output))""",
    ),
]
