"""Enters the branches of an If, and not the body of a Loop."""

EXPECTED = {"loses": ["inside"], "rung": "structure", "shows": "subgraphs-not-entered"}
BASE = "valid_ir"
EDITS = [
    ("for node in list(ir.traversal.RecursiveGraphIterator(copy.graph)):", "for node in list(without_loops(copy.graph)):"),
    (
        "def normalised(div):",
        """\
def without_loops(graph):
    for node in graph:
        yield node
        for attribute in node.attributes.values():
            if attribute.name in ("then_branch", "else_branch"):
                yield from without_loops(attribute.as_graph())


def normalised(div):""",
    ),
]
