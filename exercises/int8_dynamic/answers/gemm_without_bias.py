"""Writes a Gemm as its product alone, without the bias."""

EXPECTED = {"loses": ["gemm"], "rung": "quality", "shows": "other-product"}
BASE = "valid_by_hand"
EDITS = [
    (
        'nodes.append(helper.make_node("Add", [product, node.input[2]], list(node.output)))',
        'nodes.append(helper.make_node("Identity", [product], list(node.output)))',
    ),
]
