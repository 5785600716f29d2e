"""Keeps the large numbers float32 and casts them to float16 where they are read."""

EXPECTED = {"loses": ["exported", "constants", "large", "names", "border"], "rung": "structure", "shows": "casts-large-numbers"}
BASE = "valid_lifted"
EDITS = [
    (
        '    last = [helper.make_node("Cast", ["h_" + name], [name], to=TensorProto.FLOAT) for name in outputs]',
        """\
    last = [helper.make_node("Cast", ["h_" + name], [name], to=TensorProto.FLOAT) for name in outputs]
    casts += [helper.make_node("Cast", [name], ["c_" + name], to=TensorProto.FLOAT16) for name in large]
    for node in nodes:
        node.input[:] = ["c_" + name if name in large else name for name in node.input]""",
    ),
]
