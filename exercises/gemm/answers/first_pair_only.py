"""Stops at the first pair."""

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "first-pair-only"}
BASE = "valid_proto"
EDITS = [
    (
        """\
            product, bias = found[0]
""",
        """\
            product, bias = found[0]
            DONE.append(1)
""",
    ),
    (
        '        if found:',
        '        if found and not DONE:',
    ),
    (
        '    new = onnx.ModelProto()',
        """\
    DONE.clear()
    new = onnx.ModelProto()""",
    ),
    (
        'def children',
        """DONE = []


def children""",
    ),
]
