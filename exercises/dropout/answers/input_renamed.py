"""Gives the Dropout's input the name of its output, also where it is an input of the graph."""

EXPECTED = {"score": 0.6, "rung": "contract", "message": "inputs of other names", "shows": "output-renamed"}
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
