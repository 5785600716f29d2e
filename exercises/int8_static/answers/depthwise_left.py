"""Leaves depthwise convolutions in float, because they have few weights and lose much."""

EXPECTED = {"loses": ["depthwise"], "rung": "structure", "shows": "convolutions-only"}
BASE = "valid_entropy"
EDITS = [
    (
        '        options = {"calibrate_method": CalibrationMethod.Entropy}',
        """\
        nodes = onnx.load(prepared).graph.node
        grouped = [node.name for node in nodes if any(a.name == "group" and a.i > 1 for a in node.attribute)]""",
    ),
    ("**options,", "nodes_to_exclude=grouped,"),
]
