"""Matches the pattern: an Add that reads what only it reads of a MatMul."""

EXPECTED = {"loses": ["bert", "ranks", "bias-shapes", "names", "unknown", "inside", "lookalikes"], "rung": "loads", "shows": "rank"}
BASE = "valid_proto"
EDITS = [
    (
        """\
    if product not in products or readers(graph, product) > 1:
        return False
    values = [known.get(name) for name in (*products[product].input, bias)]
    if None in values or values[0][0] not in (TensorProto.FLOAT16, TensorProto.FLOAT, TensorProto.DOUBLE):
        return False
    a, b, c = (dims for _, dims in values)
    if len(a) != 2 or len(b) != 2 or len(c) > 2:
        return False
    return all(dim in (1, other) for dim, other in zip(c[::-1], (b[1], a[0]), strict=False))""",
        "    return product in products and readers(graph, product) == 1",
    ),
]
