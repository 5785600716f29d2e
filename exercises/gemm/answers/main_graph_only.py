"""Never looks into subgraphs."""

EXPECTED = {"loses": ["outputs", "inside"], "rung": "structure", "shows": "subgraphs-not-entered"}
BASE = "valid_proto"
EDITS = [
    (
        """\
    for child, inner in zip(children(graph), children(inferred), strict=True):
        fuse(child, inner, known)""",
        "",
    ),
]
