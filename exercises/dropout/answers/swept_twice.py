"""Sweeps twice what nothing reads, and a ratio may be computed by more nodes than that."""

EXPECTED = {"loses": ["left-over"], "rung": "quality: Constants", "shows": "stale-nodes"}
BASE = "valid_rename"
EDITS = [
    (
        """\
    while prune(new.graph):
        pass
""",
        """\
    for _ in range(2):
        prune(new.graph)
""",
    ),
    (
        "if len(node.output) > 1 else",
        "if len(node.output) > 1 and node.output[1] in names_read(graph) else",
    ),
]
