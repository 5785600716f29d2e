"""Puts the Gemms at the end of the list."""

EXPECTED = {"loses": "everything", "rung": "loads", "shows": "behind-its-readers"}
BASE = "valid_proto"
EDITS = [
    (
        '            graph.node.insert(position, helper.make_node("Gemm", [*matmul.input, bias], add.output))',
        '            graph.node.append(helper.make_node("Gemm", [*matmul.input, bias], add.output))',
    ),
]
