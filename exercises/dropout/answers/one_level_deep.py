"""Looks into the graphs inside nodes, and not into the graphs inside those."""

EXPECTED = {"loses": ["masks"], "rung": "structure", "shows": "subgraphs-not-entered"}
BASE = "valid_ir"
EDITS = [
    (
        "for node in list(ir.traversal.RecursiveGraphIterator(copy.graph)):",
        "for node in [*copy.graph, *inside(copy.graph)]:",
    ),
    (
        """\
def tidy_inside(model):""",
        """\
def inside(graph):
    attributes = [each for node in graph for each in node.attributes.values()]
    return [node for each in attributes if each.type == ir.AttributeType.GRAPH for node in each.as_graph()]


def tidy_inside(model):""",
    ),
]
