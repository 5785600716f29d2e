"""Looks for a name that is given twice in any two graphs."""

EXPECTED = {"loses": ["healthy"], "rung": "loads", "shows": "names-of-all-graphs"}
BASE = "valid_structure"
EDITS = [
    (
        "    if len(set(own)) < len(own):",
        """\
    every = [*own, *(name for node in nodes(graph) if node not in graph.node for name in node.output)]
    if len(set(every)) < len(every):""",
    ),
]
