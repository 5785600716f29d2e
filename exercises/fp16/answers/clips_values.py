"""Puts a Clip behind every product, to be on the safe side."""

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "clips-values"}
BASE = "valid_lifted"
EDITS = [
    (
        "    done = casts + [made for node in nodes for made in convert(node, floats, large, {*inputs, *outputs})] + last",
        """\
    done = casts + [made for node in nodes for made in convert(node, floats, large, {*inputs, *outputs})] + last
    for name, value in (("lowest", -65504), ("largest", 65504)):
        new.graph.initializer.append(numpy_helper.from_array(np.float16(value), name))
    for node in [node for node in done if node.op_type in ("MatMul", "Mul")]:
        clip = helper.make_node("Clip", [node.output[0] + "_free", "lowest", "largest"], list(node.output))
        node.output[0] += "_free"
        done.insert(done.index(node) + 1, clip)""",
    ),
]
