"""Stops at the first pair."""

EXPECTED = {"score": 0.625, "rung": "structure", "message": 'only the first was fused', "shows": "first-pair-only"}
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
