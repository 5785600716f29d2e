"""Gives the Dropout's input the name of its output, also where it is an input of the graph."""

EXPECTED = {"loses": ["between-nodes"], "rung": "contract", "shows": "output-renamed"}
BASE = "valid_rename"
EDITS = [
    (
        """\
    if target not in outputs:
        rename_reads(graph, target, source)
""",
        """\
    if target not in outputs:
        own = [value for value in graph.input if value.name == source]
        for value in own:
            value.name = target
        rename_reads(graph, *((source, target) if own else (target, source)))
""",
    ),
]
