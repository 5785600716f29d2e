"""Never looks into subgraphs."""

EXPECTED = {"score": 0.75, "rung": "structure", "message": "in subgraphs only", "shows": "subgraphs-not-entered"}
BASE = "valid_proto"
EDITS = [
    (
        """\
    for child, inner in zip(children(graph), children(inferred), strict=True):
        fuse(child, inner, known)""",
        "",
    ),
]
