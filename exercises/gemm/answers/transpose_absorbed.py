"""Lets the Gemm transpose a weight itself, with transB, and removes the Transpose before it."""

EXPECTED = {"loses": ["operands"], "rung": "structure", "shows": "more-than-pairs"}
BASE = "valid_proto"
EDITS = [
    (
        """\
            graph.node.insert(position, helper.make_node("Gemm", [*matmul.input, bias], add.output))
""",
        """\
            a, b = matmul.input
            turned = next((node for node in graph.node if node.op_type == "Transpose" and b in node.output), None)
            if turned is None:
                gemm = helper.make_node("Gemm", [a, b, bias], add.output)
            else:
                gemm = helper.make_node("Gemm", [a, turned.input[0], bias], add.output, transB=1)
                graph.node.remove(turned)
                position -= 1
            graph.node.insert(position, gemm)
""",
    ),
]
