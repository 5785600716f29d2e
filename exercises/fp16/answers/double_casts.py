"""Gives each float32 node Casts of its own, under the same names."""

EXPECTED = {"loses": ["large"], "rung": "loads", "shows": "double-casts"}
BASE = "valid_lifted"
EDITS = [
    (
        """\
    seen, kept = set(), []
    for node in done:
        if not seen.intersection(node.output):
            kept.append(node)
        seen.update(node.output)""",
        "",
    ),
    ("new.graph.node.extend(kept)", "new.graph.node.extend(done)"),
]
